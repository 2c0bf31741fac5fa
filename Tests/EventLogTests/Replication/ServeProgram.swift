import Foundation
import Testing

/// The built command, in a folder above the running tests.
enum ServeProgram {
  static var path: String {
    get throws { try #require(found, "The product eventlog was not built.") }
  }

  private static let found: String? = {
    let starts =
      [URL(fileURLWithPath: CommandLine.arguments[0])] + Bundle.allBundles.map(\.bundleURL)
    for start in starts {
      var folder = start.standardizedFileURL
      // A bundle on Apple systems is several folders deep.
      for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let file = folder.appendingPathComponent("eventlog").path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder),
          !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: file)
        {
          return file
        }
      }
    }
    return nil
  }()
}
