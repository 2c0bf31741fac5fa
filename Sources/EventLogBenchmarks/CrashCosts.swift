import EventLogCrashReports
import Foundation

/// Times the start of crash reports in an app.
///
/// A process starts them only once, so each round is a process of its own.
struct CrashCosts {
  private enum Step: String, Breadcrumb { case opened, saved, crashing }

  let roundCount: Int

  func run() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var times: [Int] = []
    for round in 0..<roundCount {
      // A folder of its own, because 20 files that nothing takes in end the recording.
      times.append(try start(in: folder.appending(path: String(round)).path))
    }
    times.sort()
    print(
      "\(roundCount) starts: median \(times[times.count / 2]) µs, fastest \(times[0]) µs, slowest"
        + " \(times[times.count - 1]) µs")
  }

  private func start(in folder: String) throws -> Int {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["crash-start-one", folder]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let time = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return time
  }

  /// Starts recording in a folder, and prints the microseconds that it took.
  static func one(_ folder: String) throws {
    let time = try ContinuousClock().measure {
      try CrashReports.start(in: folder, app: "1.0", breadcrumbs: Step.self)
    }
    print(time.components.attoseconds / 1_000_000_000_000 + time.components.seconds * 1_000_000)
  }
}
