import EventLog
import EventLogClouds
import EventLogPipe
import EventLogRemotes

extension Verb {
  static func remote(
    _ word: String, besides journal: String, _ verb: String
  ) throws(EventLogError) -> any Remote {
    let address = try SyncTarget.address(word, verb)
    guard !SyncTarget.isJournal(address, journal) else {
      throw .usage("\"\(Visible.text(word))\" is the journal itself.", verb)
    }
    return try remote(address)
  }

  static func remote(
    _ address: RemoteAddress, options: JournalOptions = JournalOptions()
  ) throws(EventLogError) -> any Remote {
    switch address {
    case .journal(let path): return JournalRemote(path: path, options: options)
    case .folder(let path): return FolderRemote(path: path)
    case .service(let text):
      return ObjectRemote(try CloudAddress(text).storage(.ofTerminal, isCanonical: true))
    case .machine(let machine):
      return try PipeRemote(machine, acceptsDevices: options.devicesMax == .max)
    }
  }
}
