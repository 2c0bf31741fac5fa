import Foundation

/// The built programs, found next to the tests.
enum BuiltProduct {
  /// The path of `eventlog`, or nil if it was not built.
  static let path = find("eventlog")
  /// The path of the program that crashes, or nil if it was not built.
  static let crasher = find("EventLogCrasher")

  private static func find(_ name: String) -> String? {
    var starts = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
    starts += Bundle.allBundles.map(\.bundleURL)
    for start in starts {
      var folder = start.standardizedFileURL
      // A bundle on Apple systems is nested several folders deep.
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let file = folder.appendingPathComponent(name).path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder),
          !isFolder.boolValue,
          FileManager.default.isExecutableFile(atPath: file)
        {
          return file
        }
      }
    }
    return nil
  }

  /// The options of a sanitizer, which the command needs too, or empty if none is in use.
  static let sanitizerOptions = ProcessInfo.processInfo.environment.filter {
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
  }

  /// Whether a sanitizer is in use: the commands in Docs/Internals/Fuzzing.md always set its
  /// options.
  static var isSanitized: Bool { !sanitizerOptions.isEmpty }

  /// The repository's root, four levels above
  /// `Tests/EventLogCommandTests/Support/BuiltProduct.swift`.
  static let repository: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()
}
