import EventLogTesting
import Foundation

@testable import EventLog

/// A shared folder in which one device has put its events as it should, and a test puts what
/// should not be there.
struct HostileScene {
  private let folder: TemporaryFolder
  /// The shared folder.
  let path: String
  /// A file that has nothing to do with it.
  let canary: String
  /// The lines of the device that keeps to the rules.
  let sound: [[UInt8]]
  /// Three lines of a device that has put nothing there yet.
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

  /// The name under which lines would stand as a range.
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

  /// Puts other bytes where the lines of the wrong device are expected.
  func putWrong(_ bytes: [UInt8]) throws { try put(name(wrong), bytes) }

  /// The lines of a device that a test writes.
  func lines(_ write: (inout HandmadeDevice) -> [[UInt8]]) -> [[UInt8]] {
    var device = HandmadeDevice("wrong-aaaaaaaa")
    return write(&device)
  }

  // MARK: - Frontiers

  /// Puts a frontier there, under a name that fits.
  func state(
    _ tips: [FullEventID], missing: [EventRange] = [], of user: String = "ada", number: Int64 = 1
  ) throws {
    try stateRaw(
      FrontierObject.content(FrontierStatement(user: user, tips: tips, missing: missing)),
      number: number)
  }

  /// Puts bytes there under the name of a frontier.
  func stateRaw(_ content: [UInt8], number: Int64 = 1) throws {
    try put(frontierName(content, number: number), content)
  }

  func frontierName(_ content: [UInt8] = [], number: Int64 = 1) -> String {
    FrontierName(DeviceID("liar-aaaaaaaa")!, number, content: content).text
  }

  // MARK: - What is no file

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

  /// A file that is as large as it is empty.
  func makeSparse(_ name: String, size: UInt64) throws {
    try put(name, [])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file(name)))
    try handle.truncate(atOffset: size)
    try handle.close()
  }

  /// A file with a name that need not be text.
  func put(nameBytes: [UInt8]) throws {
    let handle = (Array(path.utf8) + [0x2F] + nameBytes + [0]).withUnsafeBytes {
      open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_WRONLY | O_CREAT, 0o600)
    }
    try succeed(handle)
    close(handle)
  }

  /// Puts something else in the place of the whole folder.
  func replaceFolder(_ body: (String) throws -> Void) throws {
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("moved"))
    try body(path)
  }

  var movedFolder: String { folder.file("moved") }

  private func succeed(_ result: Int32) throws {
    if result < 0 { throw Errno.current }
  }
}
