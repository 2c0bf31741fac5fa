import EventLog
import EventLogTesting
import Foundation

/// A folder in which several processes run at once.
struct ReaderFolder: Sendable {
  struct Ending {
    var code: Int32
    var output: String
    var errors: String
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func lineCount(_ name: String) -> Int {
    (FileManager.default.contents(atPath: folder.file(name)) ?? Data()).count { $0 == 0x0A }
  }

  /// Runs a program and waits for it.
  ///
  /// - Parameter name: The prefix of its files, which differs between concurrent processes.
  func run(
    _ program: String, _ arguments: [String], input: String = "", as name: String
  ) throws -> Ending {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = [
      "HOME": folder.path, "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC",
      "SWIFT_BACKTRACE": "enable=no",
    ]
    let files = ["in", "out", "err"].map { folder.file("\(name).\($0)") }
    for (file, text) in zip(files, [input, "", ""]) {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }
    process.standardInput = FileHandle(forReadingAtPath: files[0])
    process.standardOutput = FileHandle(forWritingAtPath: files[1])
    process.standardError = FileHandle(forWritingAtPath: files[2])
    try process.run()
    process.waitUntilExit()
    func text(_ file: String) -> String {
      String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }
    let isKilled = process.terminationReason == .uncaughtSignal
    return Ending(
      code: isKilled ? -process.terminationStatus : process.terminationStatus,
      output: text(files[1]), errors: text(files[2]))
  }
}
