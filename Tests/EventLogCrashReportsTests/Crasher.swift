import EventLog
import EventLogCrashReports
import Foundation

/// Runs the program that crashes.
enum Crasher {
  /// The text that no report may contain, in the program's arguments, environment, heap, stack,
  /// messages and paths.
  static let secret = "hunter2-Zk9Qw7"

  /// The built program, found next to the tests.
  static let path: String? = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    for _ in 0..<5 {
      folder.deleteLastPathComponent()
      let file = folder.appendingPathComponent("EventLogCrasher").path
      if FileManager.default.isExecutableFile(atPath: file) { return file }
    }
    return nil
  }()

  /// Whether a sanitizer is in use, which handles crashes itself.
  static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
    ProcessInfo.processInfo.environment[$0] != nil
  }

  struct Ending: Equatable {
    var signal: Int32?
    var code: Int32?
    var output = ""
  }

  /// Runs the program, which records in a folder.
  static func run(
    _ way: String, in folder: String, environment: [String: String] = [:]
  ) throws -> Ending {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? "")
    process.arguments = [way, folder, secret]
    process.environment = [
      "SWIFT_BACKTRACE": "enable=no", "SECRET": secret,
      "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
    ].merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    return process.terminationReason == .uncaughtSignal
      ? Ending(signal: process.terminationStatus, output: text)
      : Ending(code: process.terminationStatus, output: text)
  }

  /// Whether file systems can be mounted here without privileges.
  static let mounts = (try? mounting("mount -t tmpfs none /mnt")) == 0

  /// Runs a script in which file systems can be mounted, and returns its exit code.
  @discardableResult
  static func mounting(_ script: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Returns the names of the functions of frames in the program, by `llvm-symbolizer`.
  static func functions(_ frames: [CrashReport.Frame?]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["llvm-symbolizer", "--obj=\(path ?? "")", "--functions=linkage", "--no-inlines"]
      + frames.enumerated().map { index, frame in
        "0x" + String((frame?.offset ?? 0) - (index == 0 || frame == nil ? 0 : 1), radix: 16)
      }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).components(separatedBy: "\n\n").compactMap {
      $0.split(separator: "\n").first.map(String.init)
    }
  }
}
