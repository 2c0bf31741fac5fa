import Dispatch
import Foundation
import Testing

/// A running `eventlog`, whose output is read line by line.
///
/// A command that doesn't end is terminated after a minute, so that the waiting test fails.
final class RunningCommand {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var unread: [UInt8] = []

  init(_ arguments: [String], in workplace: Workplace) throws {
    process.executableURL = URL(
      fileURLWithPath: try #require(BuiltProduct.path, "The product eventlog was not built."))
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: workplace.path)
    process.environment = ["HOME": workplace.path, "TZ": "UTC", "LC_ALL": "C.UTF-8"]
      .merging(BuiltProduct.sanitizerOptions) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let running = SendableProcess(process: process)
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak running] in
      running?.process.terminate()
    }
    guardian = running
  }

  private let guardian: SendableProcess

  /// The next line of the output, or nil at its end.
  func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { return nil }
      unread += bytes
    }
  }

  /// The parts of the next line, separated by two spaces.
  func parts() -> [String]? { line()?.components(separatedBy: "  ") }

  func interrupt() { process.interrupt() }

  /// Closes the output, like a pager that quits.
  func closeOutput() throws { try output.fileHandleForReading.close() }

  /// Waits for the end of the command.
  func end() -> (code: Int32, isSignalled: Bool, errors: String) {
    let end = process.reap()
    let text = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (end.code, end.isSignalled, text)
  }
}

/// A process that another thread may terminate.
private final class SendableProcess: @unchecked Sendable {
  let process: Process
  init(process: Process) { self.process = process }
}
