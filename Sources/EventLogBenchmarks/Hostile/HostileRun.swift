import EventLog
import EventLogTesting
import Foundation

/// Measures the cost of hostile journals, and how it grows with their size.
///
/// Each measurement runs in its own process, so that its peak memory is its own.
struct HostileRun {
  var journals = HostileJournal.allCases
  var operations = HostileOperation.allCases
  var size = 500_000
  /// The timeout of a measurement.
  var secondsMax: Double = 60

  private struct Cost {
    var seconds: Double
    var mebibytes: Int
  }

  /// Prints a line for each measurement and returns whether none grew faster than allowed.
  func run() throws -> Bool {
    if operations.contains(where: \.isVerb),
      !FileManager.default.isExecutableFile(atPath: HostileOperation.command.path())
    {
      throw Failure(description: "build the command first: swift build -c release")
    }
    let folder = try TemporaryFolder()
    print("| journal | in it | operation | bytes | s | s per MB | growth | peak MiB |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    var tooMuch: [String] = []
    for journal in journals {
      let (half, whole) = (folder.file("half.jsonl"), folder.file("whole.jsonl"))
      let halfCount = try write(journal, size / 2, to: half)
      let count = try write(journal, size, to: whole)
      for operation in operations {
        guard let cost = try measure(operation, whole) else {
          show(
            "| \(journal) | \(journal.text) | \(operation) | \(count) | over \(secondsMax)"
              + " | | | |")
          tooMuch.append("\(journal) \(operation): over \(secondsMax) s")
          continue
        }
        var growth = try growth(
          operation, (half, halfCount), (whole, count), measured: cost.seconds)
        if let found = growth, found > Self.growthMax, !journal.forksRepeatedly {
          // Excessive growth continues with more bytes; a jump from a doubled table does not.
          let twice = folder.file("twice.jsonl")
          let twiceCount = try write(journal, size * 2, to: twice)
          if let more = try measure(operation, twice) {
            growth = try self.growth(
              operation, (whole, count), (twice, twiceCount), measured: more.seconds)
          }
        }
        let perMegabyte = cost.seconds / (Double(count) / 1_000_000)
        show(
          "| \(journal) | \(journal.text) | \(operation) | \(count) | \(text(cost.seconds))"
            + " | \(text(perMegabyte)) | \(growth.map(text) ?? "") | \(cost.mebibytes) |")
        if let growth, growth > Self.growthMax, !journal.forksRepeatedly {
          tooMuch.append("\(journal) \(operation): grows by \(text(growth))")
        }
      }
    }
    for found in tooMuch { show("too much: \(found)") }
    return tooMuch.isEmpty
  }

  /// The maximum growth of the cost if the number of bytes doubles.
  static let growthMax = 2.5

  /// Returns the growth for twice the bytes, or nil if the time is too short to measure.
  private func growth(
    _ operation: HostileOperation, _ half: (path: String, count: Int),
    _ whole: (path: String, count: Int), measured seconds: Double
  ) throws -> Double? {
    // Below this, the time is mostly the start of the process.
    guard seconds > 0.25 else { return nil }
    var (most, least) = (seconds, Double.infinity)
    // Other load makes times longer, never shorter.
    for attempt in 1...3 {
      least = min(least, try measure(operation, half.path)?.seconds ?? .infinity)
      if attempt > 1 { most = min(most, try measure(operation, whole.path)?.seconds ?? .infinity) }
      let growth = pow(2, log(most / least) / log(Double(whole.count) / Double(half.count)))
      if growth <= Self.growthMax || attempt == 3 { return growth }
    }
    return nil
  }

  /// Prints a line immediately, even into a file.
  private func show(_ line: String) {
    print(line)
    fflush(nil)
  }

  private func text(_ number: Double) -> String { String(format: "%.3f", number) }

  private func write(_ journal: HostileJournal, _ size: Int, to path: String) throws -> Int {
    let bytes = journal.bytes(size)
    try Data(bytes).write(to: URL(filePath: path))
    return bytes.count
  }

  /// Returns the program's own processor time and its peak memory, or nil after a timeout.
  private func measure(_ operation: HostileOperation, _ path: String) throws -> Cost? {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["hostile-one", operation.rawValue, path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let killer = Task {
      try await Task.sleep(for: .seconds(secondsMax))
      process.terminate()
    }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    killer.cancel()
    guard process.terminationReason == .exit else { return nil }
    let words = String(decoding: output, as: UTF8.self).split(separator: " ")
    guard process.terminationStatus == 0, words.count >= 2, let seconds = Double(words[0]),
      let kibibytes = Int(words[1])
    else {
      throw Failure(description: "\(operation) failed: \(String(decoding: output, as: UTF8.self))")
    }
    return Cost(seconds: seconds, mebibytes: kibibytes / 1024)
  }

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Runs the operation in the measured process.
  static func one(_ operation: HostileOperation, _ path: String) async throws {
    let result: String
    do { result = "\(try await operation.run(path))" } catch let error as EventLogError {
      result = "\(error.code)"
    }
    var usage = rusage()
    #if canImport(Glibc)
      let who = operation.isVerb ? RUSAGE_CHILDREN : RUSAGE_SELF
      getrusage(__rusage_who_t(who.rawValue), &usage)
    #else
      getrusage(operation.isVerb ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage)
    #endif
    // The kernel's time is excluded: it depends on the number of files and the state of the disk.
    let seconds = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
    print("\(seconds) \(usage.ru_maxrss) \(result)")
  }
}
