import Dispatch
import EventLog
import EventLogAccounts
import EventLogRemotes
import Foundation

/// Uses accounts like an app, as a separate program that can be killed, and whose calls can fail.
enum AccountsProgram {
  static let usage =
    "accounts FOLDER (write MARK | sign-in USER [automatic|local] | choose automatic|local |"
    + " sign-out | remove | sync | current)…"

  /// Runs the steps and returns the exit code: 0, or 2 after an error message.
  static func run(_ arguments: [String]) async -> Int32 {
    do throws(EventLogError) {
      let folder = arguments[0]
      let accounts = try await Accounts.open(
        folder, providers: [SiblingFolderProvider(folder: folder)],
        options: AccountOptions(journal: JournalOptions(deviceName: "phone")))
      var steps = arguments.dropFirst()
      while let step = steps.popFirst() { try await run(step, &steps, accounts) }
      let current = accounts.current
      try await accounts.close()
      printLine("current \(current.user) \(current.store.path)")
      return 0
    } catch  where error.code == .journalReplaced {
      // Another process has removed the account. An app opens the folder again.
      return 0
    } catch {
      FileHandle.standardError.write(Data("Error: \(error.message)\n".utf8))
      return 2
    }
  }

  private static func run(
    _ step: String, _ arguments: inout ArraySlice<String>, _ accounts: Accounts
  ) async throws(EventLogError) {
    switch step {
    case "write":
      guard let mark = arguments.popFirst() else { throw usageError }
      let (current, time) = (accounts.current, time)
      // Each mark has its own entity, so that the undo of an adoption adds no second mark.
      _ = try await current.store.append(
        [
          EventDraft(
            type: "note.created", entity: EntityID(kind: "note", key: mark),
            data: ["mark": .string(mark)])
        ], allowingUnknownTypes: true)
      printLine("wrote \(mark) \(current.user) \(time)")
    case "sign-in":
      guard let user = arguments.popFirst() else { throw usageError }
      let signIn = try await accounts.signIn(as: user)
      printLine("adopted \(signIn.adoption?.sync.pulledCount ?? 0)")
      if let choice = arguments.first.flatMap(choice) {
        arguments.removeFirst()
        try await accounts.choose(choice)
      }
    case "choose":
      guard let word = arguments.popFirst(), let choice = choice(word) else { throw usageError }
      try await accounts.choose(choice)
      printLine("chose \(word) \(accounts.current.user) \(time)")
    case "sign-out": _ = try await accounts.signOut()
    case "remove":
      do throws(EventLogError) { _ = try await accounts.signOut(.removeIfElsewhere) } catch {
        // The journal is kept.
        if error.code != .eventsOnlyHere { throw error }
      }
    case "sync": _ = await accounts.eventsOnlyHere()
    case "current": break
    default: throw usageError
    }
  }

  private static func choice(_ word: String) -> ProviderChoice? {
    switch word {
    case "automatic": .automatic
    case "local": .local
    default: nil
    }
  }

  /// The nanoseconds since the machine started, which are the same for all processes.
  private static var time: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static var usageError: EventLogError { EventLogError(invalidInput: "It takes \(usage).") }

  /// Prints a line without buffering, after the work that it reports is durable.
  private static func printLine(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}

/// A provider with a folder for each user, next to the folder of the accounts.
private struct SiblingFolderProvider: Provider {
  let name = "beside"
  let folder: String

  func availability(for user: String) async -> Availability { .available }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    FolderRemote(path: Path.join(AccountPairs.remotesFolder(of: folder), user))
  }
}
