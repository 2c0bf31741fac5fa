import EventLog
import EventLogTesting
import Foundation
import Testing

/// Files that are not sound journals: `verify` prints line and byte and exits with 1, other verbs
/// warn and continue, nothing traps, and no byte of the file changes.
@Suite struct BadFileTests {
  private let place: Workplace
  /// The lines of a sound journal, each with its LF.
  private let lines: [[UInt8]]

  init() throws {
    place = try Workplace()
    try place.follow(
      """
      $ eventlog append good.jsonl --user ada --device laptop habit.created read name=Read
      laptop-aaaaaaa2:2  habit/read
      $ for day in 1 2 3 4
      > do eventlog append good.jsonl completion.advanced read date=2026-01-0$day by=$day; done
      laptop-aaaaaaa2:3  habit/read
      laptop-aaaaaaa2:4  habit/read
      laptop-aaaaaaa2:5  habit/read
      laptop-aaaaaaa2:6  habit/read
      """)
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in try place.read("good.jsonl") {
      line.append(byte)
      if byte == 0x0A {
        lines.append(line)
        line = []
      }
    }
    self.lines = lines
  }

  private func offset(ofLine line: Int) -> Int { lines[..<(line - 1)].map(\.count).reduce(0, +) }

  /// Writes `bytes` to `bad.jsonl`, runs every reading verb on it, and compares the problems that
  /// verify prints: line, byte, and code, or `note`.
  private func expectProblems(
    _ bytes: [UInt8], _ expected: [(line: Int, byte: Int, code: String)],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try place.write("bad.jsonl", bytes)
    let verify = try place.eventlog("verify", "bad.jsonl")
    let isSound = expected.allSatisfy { $0.code == "note" }
    #expect(!verify.isSignalled && verify.code == (isSound ? 0 : 1), sourceLocation: location)
    #expect(verify.errors.isEmpty, sourceLocation: location)
    let found = verify.text.split(separator: "\n").dropLast()
    #expect(found.count == expected.count, "\(verify.text)", sourceLocation: location)
    for (line, wanted) in zip(found, expected) {
      #expect(
        line.hasPrefix("bad.jsonl:\(wanted.line): byte \(wanted.byte): \(wanted.code): "),
        "\(line)", sourceLocation: location)
    }
    for verb in ["project", "replay", "status"] {
      for words in [[verb], [verb, "--json"]] {
        let run = try place.eventlog([words[0], "bad.jsonl"] + words.dropFirst())
        #expect(!run.isSignalled && [0, 2].contains(run.code), sourceLocation: location)
      }
    }
    try #expect(place.read("bad.jsonl") == bytes, "the file changed", sourceLocation: location)
    #expect(
      !FileManager.default.fileExists(atPath: place.file("bad.eventlog")),
      "reading left something behind", sourceLocation: location)
  }

  private func joined(_ parts: some Sequence<[UInt8]>) -> [UInt8] { Array(parts.joined()) }

  // MARK: - Sound files

  @Test func `an empty file, blank lines, CRLF and a missing last LF are sound`() throws {
    try expectProblems([], [])
    try expectProblems(Array("\n  \n\r\n".utf8), [])
    try expectProblems(joined(lines.flatMap { [[0x0A], $0, [0x20, 0x0A]] }), [])
    try expectProblems(joined(lines.map { $0.dropLast() + [0x0D, 0x0A] }), [])
    try expectProblems(Array(joined(lines).dropLast()), [])
    try expectProblems(joined(lines) + [0x20, 0x20], [])
  }

  // MARK: - Bytes

  @Test func `verify prints the position of an invalid byte in a line`() throws {
    let start = offset(ofLine: 3)
    let key = try #require(lines[2].firstRange(of: Array("\"by\"".utf8))?.lowerBound)
    func line(_ byte: UInt8) -> [UInt8] {
      var line = lines[2]
      line[key + 1] = byte
      return joined(lines[..<2]) + line + joined(lines[3...])
    }
    let rest = (line: 4, byte: offset(ofLine: 4), code: "gap")
    try expectProblems(line(0xFF), [(3, start + key + 1, "invalidUTF8"), rest])
    try expectProblems(line(0x00), [(3, start + key + 1, "controlCharacter"), rest])
    try expectProblems(
      [0xEF, 0xBB, 0xBF] + joined(lines),
      [(1, 0, "byteOrderMark"), (2, offset(ofLine: 2) + 3, "gap")])
  }

  @Test func `verify finds a flipped bit anywhere in a line`() throws {
    let whole = joined(lines)
    let start = offset(ofLine: 3)
    for place in stride(from: 0, to: lines[2].count - 1, by: 7) {
      var bytes = whole
      bytes[start + place] ^= 0x01
      try self.place.write("bad.jsonl", bytes)
      let verify = try self.place.eventlog("verify", "bad.jsonl")
      #expect(verify.code == 1 && !verify.isSignalled, "byte \(place)")
      #expect(verify.text.hasPrefix("bad.jsonl:3: byte "), "byte \(place): \(verify.text)")
      try #expect(self.place.read("bad.jsonl") == bytes)
    }
  }

  @Test func `binary data and JSON without events are not a journal`() throws {
    let binary = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 11) }
    try expectProblems(binary, [(1, 0, "doubtfulTail")])
    try expectProblems(Array("{\"hello\":1}\n[1,2]\n\"x\"\n".utf8), [(1, 0, "doubtfulTail")])
    try place.follow(
      """
      $ eventlog verify bad.jsonl
      bad.jsonl:1: byte 0: doubtfulTail: The file contains no events (its first line does not end \
      with its checksum): it is not a journal, or nothing is left of one. An append refuses it \
      and does not change it.
      bad.jsonl: 1 problem, 0 events from 0 devices in 22 bytes.
      ? 1
      $ eventlog append bad.jsonl --user ada habit.created read
      ! Error: "bad.jsonl" is not a journal: it contains no events. It was not changed.
      ! Hint: Check the path.
      ? 2
      $ cat bad.jsonl
      {"hello":1}
      [1,2]
      "x"
      """)
  }

  @Test func `a torn first batch does not count as a foreign file`() throws {
    // As after a crash: the record was written before the batch, and lists no synced event.
    try place.follow(
      """
      $ head -c 40 good.jsonl > torn && cat torn > good.jsonl
      $ sed -e 's/"sequence":[0-9]*/"sequence":0/' good.eventlog/device.json > record
      $ cat record > good.eventlog/device.json
      $ eventlog verify good.jsonl
      good.jsonl:1: byte 0: doubtfulTail: The last 40 bytes are an interrupted append or damage \
      (their first line ends before its JSON is complete). They do not count; the next append \
      moves them to the quarantine folder.
      good.jsonl: 1 problem, 0 events from 0 devices in 40 bytes.
      ? 1
      $ eventlog append good.jsonl --user ada --device laptop habit.created read 2> notes
      laptop-bbbbbbb2:2  habit/read
      $ eventlog verify good.jsonl > verified && grep -c quarantine notes
      1
      """)
  }

  @Test func `verify prints the position of a foreign line between events`() throws {
    let start = offset(ofLine: 3)
    func insert(_ text: String) -> [UInt8] {
      joined(lines[..<2]) + Array((text + "\n").utf8) + joined(lines[2...])
    }
    try expectProblems(insert("{\"hello\":1}"), [(3, start + 11, "missingChecksum")])
    try expectProblems(
      insert(String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)),
      [(3, start + 64, "tooDeep")])
    try expectProblems(
      insert(
        "{\"a\":\"" + String(decoding: [UInt8](repeating: 0x78, count: 10_000_000), as: UTF8.self)
          + "\"}"),
      [(3, start + 1_048_576, "lineTooLong")])
  }

  // MARK: - Order

  @Test func `verify notes repeated lines and reports missing ones`() throws {
    let start = offset(ofLine: 4)
    try expectProblems(
      joined(lines[..<3] + [lines[2]] + lines[3...]), [(4, start, "note")])
    try expectProblems(joined(lines[..<3] + lines[4...]), [(4, start, "gap")])
    try expectProblems(joined(lines[1...]), [(1, 0, "gap")])
  }

  @Test func `the order of lines does not change the state`() throws {
    let project = try place.eventlog("project", "good.jsonl", "--json").output
    for order in [
      lines.reversed(), lines.shuffled(), lines[..<3] + [lines[4], lines[3], lines[5]],
    ] {
      try expectProblems(joined(order), [])
      try #expect(place.eventlog("project", "bad.jsonl", "--json").output == project)
    }
    try place.write("bad.jsonl", joined(lines + lines))
    try #expect(place.eventlog("project", "bad.jsonl", "--json").output == project)
    try place.follow(
      """
      $ eventlog verify bad.jsonl | tail -n 2
      … and 3 more repeatedLine notes.
      bad.jsonl: sound, 6 events from 1 device in \(2 * joined(lines).count) bytes.
      """)
  }

  // MARK: - Contradictory lines

  /// A line with a valid checksum that follows the device's line with the chain `chain`.
  private func sealed(
    _ id: String, after chain: UInt32, seen: [String] = [],
    type: String = "profile.updated", _ data: JSONObject = JSONObject()
  ) throws -> (line: [UInt8], chain: UInt32) {
    var writer = EventLineWriter(after: chain)
    writer.write(
      id: try #require(EventID(id)), at: try #require(Timestamp("2026-02-01T00:00:00Z")),
      type: type, entity: nil, seen: try seen.map { try #require(FullEventID($0)) },
      data: data)
    return (writer.bytes, writer.checksum.chain)
  }

  private func joins(_ device: String, user: String = "ada") throws -> (
    line: [UInt8], chain: UInt32
  ) {
    try sealed(
      device + ":1", after: 0, type: "device.joined",
      JSONObject([
        .init(name: "user", value: .string(user)), .init(name: "name", value: "tablet"),
      ]))
  }

  @Test func `verify reports an entry of seen whose event is missing`() throws {
    let joined = try joins("tablet-aaaaaaa2")
    let claim = try sealed(
      "tablet-aaaaaaa2:2", after: joined.chain, seen: ["phone-bbbbbbb2:7~0123abcd"])
    let whole = self.joined(lines) + joined.line
    try expectProblems(whole + claim.line, [(8, whole.count, "gap")])
  }

  @Test func `verify reports a broken chain and a device that has not joined`() throws {
    let joined = try joins("tablet-aaaaaaa2")
    let other = try sealed("tablet-aaaaaaa2:2", after: joined.chain ^ 1)
    let whole = self.joined(lines) + joined.line
    try expectProblems(whole + other.line, [(8, whole.count, "gap")])
    let stranger = try sealed("tablet-aaaaaaa2:1", after: 0)
    try expectProblems(
      self.joined(lines) + stranger.line, [(7, self.joined(lines).count, "notJoined")])
  }

  @Test func `verify reports a device of another user`() throws {
    let joined = try joins("tablet-aaaaaaa2", user: "ben")
    try expectProblems(
      self.joined(lines) + joined.line, [(7, self.joined(lines).count, "otherUser")])
  }

  @Test func `two events with one ID are a fork and both count`() throws {
    let joined = try joins("tablet-aaaaaaa2")
    let one = try sealed("tablet-aaaaaaa2:2", after: joined.chain)
    let two = try sealed(
      "tablet-aaaaaaa2:2", after: joined.chain, JSONObject([.init(name: "a", value: 1)]))
    let whole = self.joined(lines) + joined.line + one.line
    try expectProblems(whole + two.line, [(9, whole.count, "note")])
    try place.follow(
      """
      $ eventlog status bad.jsonl --json 2> err | grep -o '"eventCount":9,"f'
      "eventCount":9,"f
      """)
  }
}
