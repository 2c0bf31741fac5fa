import EventLog
import EventLogCollections
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Foundation

/// An operation on a hostile journal, performed in a separate process.
enum HostileOperation: String, CaseIterable {
  case project, why, verify, checkpoint, sync, folder
  /// Verbs of the command, which print their results.
  case status, conflicts, diff, replay, resolve

  /// Performs the operation and returns a number that depends on all of its results.
  func run(_ path: String) async throws -> Int {
    switch self {
    case .project:
      let state = try Journal(path: path, catalog: .standard, usesCheckpoint: false).snapshot()
      return state.snapshot.json().count + state.snapshot.conflicts.count
    case .why:
      return writeCount(Journal(path: path, catalog: .standard, usesCheckpoint: false))
    case .verify:
      let report = try Journal(path: path, catalog: .standard).verify()
      return report.eventCount + report.problemCount + report.notes.count
    case .checkpoint:
      let folder = try TemporaryFolder()
      let copy = folder.file("copy.jsonl")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let store = try await EventStore.open(path: copy, options: options, catalog: .standard)
      _ = try await store.append([EventDraft(type: "settings.changed", data: ["own": 1])])
      try await store.close()
      return try Journal(path: copy, catalog: .standard).snapshot().snapshot.eventCount
    case .sync:
      let folder = try TemporaryFolder()
      let store = try await EventStore.open(
        path: folder.file("new.jsonl"), options: options, catalog: .standard)
      let report = try await store.sync(with: JournalRemote(path: path))
      try await store.close()
      return Int(report.pulled.count)
    case .folder:
      let folder = try TemporaryFolder()
      let copy = folder.file("copy.jsonl")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let remoteFolder = folder.file("place")
      try FileManager.default.createDirectory(
        atPath: remoteFolder, withIntermediateDirectories: false)
      let store = try await EventStore.open(path: copy, options: options, catalog: .standard)
      _ = try await store.sync(with: FolderRemote(path: remoteFolder))
      try await store.close()
      let other = try await EventStore.open(
        path: folder.file("new.jsonl"), options: options, catalog: .standard)
      _ = try await other.sync(with: FolderRemote(path: remoteFolder))
      let count = other.snapshot.eventCount
      try await other.close()
      return count
    case .status, .conflicts, .diff, .replay, .resolve: return try runVerb(path)
    }
  }

  /// Returns the number of writes of the most written field, or 0 if `why` fails.
  private func writeCount(_ journal: Journal) -> Int {
    for (entity, field) in Self.fields {
      do throws(EventLogError) {
        let count = try journal.why(entity, field).history.writes.count
        if count > 10 { return count }
      } catch {
        if ![.noEntity, .noField].contains(error.code) { return 0 }
      }
    }
    return 0
  }

  /// The fields that hostile journals write most.
  private static let fields = [
    ("settings", "k"), ("settings", "allergens"), ("habit/read@2026-01-01", "progress"),
    ("habit/read", "goal"), ("habit/read", "name"), ("habit/read", "presence"),
  ]

  // MARK: - Verbs

  /// Whether the command performs it, in one more process.
  var isVerb: Bool {
    switch self {
    case .status, .conflicts, .diff, .replay, .resolve: true
    default: false
    }
  }

  /// Lets the command perform the operation and returns the length of its output.
  private func runVerb(_ path: String) throws -> Int {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.jsonl")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let own = folder.file("own.jsonl")
    if self == .diff {
      _ = try command(["append", own, "--user", "ada", "settings.changed", "own=1"])
    }
    let arguments =
      switch self {
      case .diff: [own, copy]
      case .resolve: [copy, "--all", "--prefer", "latest"]
      default: [copy]
      }
    return try command([rawValue] + arguments + ["--user", "ada"])
  }

  /// The command in the folder of this program.
  static let command = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(component: "eventlog")

  private func command(_ arguments: [String]) throws -> Int {
    let process = Process()
    process.executableURL = Self.command
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let byteCount = pipe.fileHandleForReading.readDataToEndOfFile().count
    process.waitUntilExit()
    guard process.terminationReason == .exit else {
      throw HostileRun.Failure(description: "eventlog \(arguments) was ended by a signal")
    }
    return byteCount
  }

  private var options: JournalOptions { JournalOptions(deviceName: "visitor", user: "ada") }
}
