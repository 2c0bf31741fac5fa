import EventLogTesting
import Foundation

/// The library that the toolchain's compiler builds from `Faults.c`.
struct FaultLibrary {
  private let folder: TemporaryFolder
  var path: String { folder.file("faults.so") }

  init() throws {
    folder = try TemporaryFolder()
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Faults/Faults.c").path
    guard FileManager.default.fileExists(atPath: source) else {
      throw TortureError("\(source) is not there")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TortureError("clang could not compile \(source)")
    }
  }
}
