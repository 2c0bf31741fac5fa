import EventLog

extension Verb {
  /// The remote that a word names.
  static func remote(
    _ word: String, besides journal: String, _ verb: String
  ) throws(EventLogError) -> any Remote {
    let folder = Terminal.currentFolder
    guard let address = RemoteAddress(word)?.absolute(in: folder) else {
      throw .usage("\"\(Table.cell(word))\" names no remote.", verb)
    }
    guard address != RemoteAddress.journal(path: journal).absolute(in: folder) else {
      throw .usage("\"\(Table.cell(word))\" is the journal itself.", verb)
    }
    return try remote(address)
  }

  /// The remote at an address.
  static func remote(_ address: RemoteAddress) throws(EventLogError) -> any Remote {
    switch address {
    case .journal(let path): return JournalRemote(path: path)
    case .folder(let path): return FolderRemote(path: path)
    case .machine:
      throw EventLogError(
        .remoteFailed, "\"\(address)\" is no remote that this version can reach.")
    }
  }
}
