import EventLogTesting
import Testing

@testable import EventLog

/// The lines that two files have in common at their beginnings.
@Suite struct CommonPrefixTests {
  private let folder: TemporaryFolder
  private let disk = SystemFileSystem()
  private var left: String { folder.file("left.jsonl") }
  private var right: String { folder.file("right.jsonl") }

  init() throws { folder = try TemporaryFolder() }

  /// A journal of a few long lines.
  private static func journal(_ byteCount: Int) -> [UInt8] {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let text = String(repeating: "a long text with é ", count: 400)
    var bytes = history.lines.flatMap { $0 }
    while bytes.count < byteCount {
      let count = history.lines.count
      history.append(phone, "settings.changed", ["theme": .string(text)])
      bytes += history.lines[count...].flatMap { $0 }
    }
    return bytes
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
  }

  private func withPrefix(
    _ body: (CommonPrefix<LedgerSink>?, JournalFile, JournalFile) throws -> Void
  ) throws {
    let files = try [left, right].map { try JournalFile.open($0, .read, fileSystem: disk) }
    defer { for file in files { file.close() } }
    let prefix = CommonPrefix(of: files[0], and: files[1], into: JournalPass(sink: LedgerSink()))
    try body(prefix, files[0], files[1])
  }

  @Test(arguments: [600_000, 5 << 20])
  func `the prefix ends with the last line before the first difference`(size: Int) throws {
    let bytes = Self.journal(size)
    try write(bytes, to: left)
    let lines = bytes.indices.filter { bytes[$0] == 0x0A }
    let offsets = [0, 1, 1 << 18, (1 << 18) + 1, bytes.count / 2, bytes.count - 1, bytes.count]
    for offset in offsets {
      var changed = bytes
      if offset < bytes.count { changed[offset] ^= 1 }
      for content in [changed, Array(bytes[..<offset]), bytes[..<offset] + Array("more".utf8)] {
        try write(content, to: right)
        let common = lines.filter { $0 < offset }
        try withPrefix { prefix, left, right in
          #expect(prefix?.pass.endOffset == common.last.map { Int64($0) + 1 })
          #expect(prefix?.pass.lineCount ?? 0 == common.count)
          #expect(prefix?.isMost ?? false == ((common.last ?? 0) + 1 > bytes.count / 2))
          #expect(prefix?.pass(of: right)?.lineCount == prefix?.pass.lineCount)
          #expect((prefix?.pass(of: left) == nil) == (prefix == nil))
        }
      }
    }
  }

  @Test func `a damaged line leaves two files without a common prefix`() throws {
    let bytes = Self.journal(100_000)
    let damaged = Array("damaged".utf8) + bytes
    for path in [left, right] { try write(damaged, to: path) }
    try withPrefix { prefix, _, _ in #expect(prefix == nil) }
  }

  @Test
  func `a file that was restored in place after the comparison has no common prefix`() throws {
    let bytes = Self.journal(100_000)
    for path in [left, right] { try write(bytes, to: path) }
    try withPrefix { prefix, left, right in
      try write(Self.journal(200_000).reversed(), to: self.right)
      let prefix = try #require(prefix)
      #expect(prefix.pass(of: left) != nil && prefix.pass(of: right) == nil)
    }
  }

  @Test func `a failing read leaves two files without a common prefix`() throws {
    for path in [left, right] { try write(Self.journal(600_000), to: path) }
    for count in 0..<3 {
      let failing = InstrumentedFileSystem()
      let file = try JournalFile.open(left, .read, fileSystem: failing)
      defer { file.close() }
      let other = try JournalFile.open(right, .read, fileSystem: disk)
      defer { other.close() }
      failing.failNext(.read, after: count, with: .inputOutput)
      #expect(CommonPrefix(of: file, and: other, into: JournalPass(sink: LedgerSink())) == nil)
    }
  }
}
