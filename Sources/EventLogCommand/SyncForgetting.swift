import EventLog
import EventLogInspection

/// The verb `sync` with `--forget`.
enum SyncForgetting {
  /// Forgets the given remotes, or all if there are none.
  static func run(_ arguments: Arguments, path: String, _ console: Console) throws
    -> Verb.ExitStatus
  {
    for option in ["plan", "pull", "push"] where arguments.has(option) {
      throw EventLogError.usage("--forget and --\(option) cannot be combined.", "sync")
    }
    let journal = Journal(path: path)
    let named = arguments.operands.dropFirst()
    if Terminal.isMissing(path) { _ = try SyncTarget.read([], of: journal) }
    let remembered = try journal.remotes + journal.recordedRemotes
    if named.isEmpty, remembered.isEmpty {
      console.note("\(Visible.text(path)) has no remembered remotes.")
    }
    for word in named.isEmpty ? remembered.unique[...] : named {
      let target = RemoteAddress(word).map { address in
        SyncTarget(address: SyncTarget.canonical(address), name: word, isRemembered: false)
      }
      // The remote may be remembered under another spelling.
      let known = remembered.unique.filter { text in
        text == word
          || target.map { target in
            RemoteAddress(text).map { SyncTarget.canonical($0, isRemembered: true) }
              == target.address || target.isSameRemote(as: text)
          } ?? false
      }
      for text in known { try journal.forget(text) }
      console.note(
        known.isEmpty
          ? "\(Visible.text(word)) was not a remembered remote." : "Forgot \(Visible.text(word)).")
    }
    return .yes
  }
}

extension [String] {
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
