import EventLogTesting
import Foundation

@testable import EventLog
@testable import EventLogRemotes

/// A shared folder with a good device's events, to which a test adds its flaw.
struct HostileScene {
  private let folder: TemporaryFolder
  /// The shared folder.
  let path: String
  /// A file outside the folder that must stay unchanged.
  let canary: String
  /// The lines of the good device.
  let sound: [[UInt8]]
  /// Three lines of another device that are not yet in the folder.
  let wrong: [[UInt8]]

  static let soundDevice = DeviceID("good-aaaaaaaa")!

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.file("Shared")
    canary = folder.file("canary")
    var good = HandmadeDevice("good-aaaaaaaa")
    sound = [good.join(user: "ada"), good.event(), good.event()]
    var other = HandmadeDevice("wrong-aaaaaaaa")
    wrong = [other.join(user: "ada"), other.event(text: "xx"), other.event()]
    try Data("left alone\n".utf8).write(to: URL(fileURLWithPath: canary))
    try await FolderRemote(path: path).give(sound, of: "ada")
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  // MARK: - Ranges

  /// The name of the range of these lines.
  func name(_ lines: [[UInt8]]) -> String {
    let range = EventRange(
      from: ForkedDevice.event(lines[0]).sequence, to: ForkedDevice.event(lines.last!))
    return RangeName(range, ForkedDevice.checksum(lines.last!)).text
  }

  func bytes(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [0x0A] } }

  func put(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  func put(_ name: String, _ text: String) throws { try put(name, Array(text.utf8)) }

  /// Writes other bytes under the name for the wrong device's lines.
  func putWrong(_ bytes: [UInt8]) throws { try put(name(wrong), bytes) }

  /// Returns lines of the wrong device as written by `write`.
  func lines(_ write: (inout HandmadeDevice) -> [[UInt8]]) -> [[UInt8]] {
    var device = HandmadeDevice("wrong-aaaaaaaa")
    return write(&device)
  }

  // MARK: - Frontiers

  /// Writes a frontier under its matching name.
  func state(
    _ tips: [FullEventID], missing: [EventRange] = [], of user: String = "ada", number: Int64 = 1
  ) throws {
    try stateRaw(
      FrontierObject.content(FrontierStatement(user: user, tips: tips, missing: missing)),
      number: number)
  }

  /// Writes bytes under the name of a frontier.
  func stateRaw(_ content: [UInt8], number: Int64 = 1) throws {
    try put(frontierName(content, number: number), content)
  }

  func frontierName(_ content: [UInt8] = [], number: Int64 = 1) -> String {
    FrontierName(DeviceID("liar-aaaaaaaa")!, number, content: content).text
  }

  // MARK: - Special files

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: file(name), withDestinationPath: target)
  }

  func makePipe(_ name: String) throws { try succeed(mkfifo(file(name), 0o600)) }

  func makeSocket(_ name: String) throws {
    #if os(Linux)
      try succeed(mknod(file(name), S_IFSOCK | 0o600, 0))
    #else
      try makePipe(name)
    #endif
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: false)
  }

  /// Creates a sparse file without content.
  func makeSparse(_ name: String, size: UInt64) throws {
    try put(name, [])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file(name)))
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  /// Creates a file whose name needn't be text.
  func put(nameBytes: [UInt8]) throws {
    let handle = (Array(path.utf8) + [0x2F] + nameBytes + [0]).withUnsafeBytes {
      open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_WRONLY | O_CREAT, 0o600)
    }
    try succeed(handle)
    close(handle)
  }

  /// Replaces the whole folder.
  func replaceFolder(_ body: (String) throws -> Void) throws {
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("moved"))
    try body(path)
  }

  var movedFolder: String { folder.file("moved") }

  private func succeed(_ result: Int32) throws {
    if result < 0 { throw Errno.current }
  }
}
