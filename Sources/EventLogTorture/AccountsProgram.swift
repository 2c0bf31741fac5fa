import EventLog
import EventLogAccounts
import Foundation

/// What an app does with its accounts, as a program of its own that can be killed and failed like
/// the command.
enum AccountsProgram {
  static let usage = "accounts FOLDER write MARK… | sign-in USER | sign-out | current"

  /// - Returns: the exit code: 0, or 2 behind a sentence about what went wrong.
  static func run(_ words: [String]) async -> Int32 {
    do throws(EventLogError) {
      let accounts = try await Accounts.open(
        words[0], options: AccountOptions(journal: JournalOptions(deviceName: "phone")))
      switch (words[1], words.count) {
      case ("write", 3...): try await write(words[2...], to: accounts.current.store)
      case ("sign-in", 3):
        let signIn = try await accounts.signIn(as: words[2])
        say("adopted \(signIn.adoption?.sync.pulledCount ?? 0)")
      case ("sign-out", 2): _ = try await accounts.signOut()
      case ("current", 2): break
      default: throw EventLogError(invalidInput: "It takes \(usage).")
      }
      let current = accounts.current
      try await accounts.close()
      say("current \(current.user) \(current.store.path)")
      return 0
    } catch {
      FileHandle.standardError.write(Data("Error: \(error.message)\n".utf8))
      return 2
    }
  }

  private static func write(
    _ marks: ArraySlice<String>, to store: EventStore
  ) async throws(EventLogError) {
    for mark in marks {
      // An entity of its own: what an undo of the adoption takes back leaves no second mark.
      _ = try await store.append(
        [
          EventDraft(
            type: "note.created", entity: EntityID(kind: "note", key: mark),
            data: ["mark": .string(mark)])
        ], allowingUnknownTypes: true)
      say("wrote \(mark)")
    }
  }

  /// At once: what is printed was durable before.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}
