import EventLog
import EventLogPipe
import EventLogTesting

/// A remote and the files that it needs.
struct RemoteFixture: Sendable {
  let remote: any ReachableRemote
  let folder: TemporaryFolder
  var storage: MemoryStorage?

  /// The content of all files by name.
  func contents() throws -> [String: [UInt8]] {
    if let storage { return storage.objects }
    let disk = SystemFileSystem()
    var contents: [String: [UInt8]] = [:]
    for name in try disk.contents(of: folder.path) {
      let path = folder.file(name)
      if try disk.status(at: path).kind == .regular {
        contents[name] = try disk.contents(ofFile: path, maximumBytes: 1 << 26)
      } else if name == "Shared" {
        for inner in try disk.contents(of: path) {
          contents["\(name)/\(inner)"] = try disk.contents(
            ofFile: folder.file("\(name)/\(inner)"), maximumBytes: 1 << 26)
        }
      }
    }
    return contents
  }
}
