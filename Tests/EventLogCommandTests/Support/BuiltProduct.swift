import Foundation

/// The command as it was built, beside the tests that run it.
enum BuiltProduct {
  /// The path of `eventlog`; nil if it was not built.
  static let path: String? = {
    var starts = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
    starts += Bundle.allBundles.map(\.bundleURL)
    for start in starts {
      var folder = start.standardizedFileURL
      // A bundle on Apple systems is some folders deep.
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let file = folder.appendingPathComponent("eventlog").path
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
  }()

  /// The repository's top: this file is `Tests/EventLogCommandTests/Support/BuiltProduct.swift`.
  static let repository: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()
}
