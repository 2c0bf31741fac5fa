// Shared by the format tests: seeds, and the files next to the tests.

import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// The seed of the random tests.
enum FormatRandom {
  /// `EVENTLOG_SEED`, or else a new seed for each run.
  static let seed =
    ProcessInfo.processInfo.environment["EVENTLOG_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0..<1_000_000)

  /// Returns the generator of one test, and prints the seed that repeats it.
  static func generator(_ name: String) -> SplitMix64 {
    print("EVENTLOG_SEED=\(seed) (\(name))")
    return SplitMix64(seed: seed)
  }
}

/// The files in folders next to the test sources.
enum FormatFiles {
  private static let folder = Path.folder(of: Path.folder(of: #filePath))

  static func path(_ folder: String, _ name: String) -> String {
    Path.join(Path.join(Self.folder, folder), name)
  }

  /// The names in `folder` that end in `suffix`, without it, sorted.
  static func names(in folder: String, suffix: String) throws -> [String] {
    try SystemFileSystem().contents(of: Path.join(Self.folder, folder))
      .filter { $0.hasSuffix(suffix) }
      .map { String($0.dropLast(suffix.count)) }
      .sorted()
  }

  static func bytes(_ folder: String, _ name: String) throws -> [UInt8] {
    let path = path(folder, name)
    return try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 24)
  }

  /// All lines of all golden journals, without LF.
  static func goldenLines() throws -> [[UInt8]] {
    try names(in: "Golden", suffix: ".jsonl").flatMap { name in
      try bytes("Golden", name + ".jsonl").split(separator: 0x0A).map(Array.init)
    }
  }
}
