import EventLogTesting
import Testing

@testable import EventLog

@Suite struct EventLineWriterTests {
  /// The lines that `write` produces, each with its LF.
  private static func lines(_ write: (inout EventLineWriter) throws -> Void) rethrows -> String {
    var writer = EventLineWriter(after: 0)
    try write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func id(_ text: String) throws -> EventID { try #require(EventID(text)) }

  private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  /// The example line of the format, with its checksum.
  @Test func `the format's example is written to the byte`() throws {
    var writer = EventLineWriter(after: 0x1234_ABCD)
    let length = try writer.write(
      id: Self.id("phone-k3f9a2xq:42"), at: Self.time("2026-01-28T09:12:33.123Z"),
      type: "habit.edited", entity: EntityID("habit/3f9c"),
      seen: [#require(FullEventID("ipad-9xq2m4ty:17~25b1f00a"))],
      data: JSONObject([.init(name: "name", value: "Read 20 pages")]))
    let covered =
      #"{"id":"phone-k3f9a2xq:42","at":"2026-01-28T09:12:33.123Z","type":"habit.edited""#
      + #","entity":"habit/3f9c","seen":["ipad-9xq2m4ty:17~25b1f00a"]"#
      + #","data":{"name":"Read 20 pages"}"#
    let expected = covered + #","crc":"1234abcdc7c15cbf"}"#
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected + "\n")
    #expect(length == expected.utf8.count)
    #expect(Array(expected.utf8) == sealed(covered, after: 0x1234_ABCD))
  }

  @Test func `all members are written in canonical order`() throws {
    let line = try Self.lines { writer in
      try writer.write(
        id: Self.id("a:7"), at: Self.time("2026-01-28T09:12:33Z"), type: "habit.created",
        entity: EntityID("habit/x"),
        seen: [
          #require(FullEventID("b:1~00000000")), #require(FullEventID("b:1~0000000a")),
          #require(FullEventID("c:9007199254740991~ffffffff")),
        ],
        ref: "import \"1\"", more: true, data: JSONObject(), salt: "abcdefghij27")
    }
    let covered =
      #"{"id":"a:7","at":"2026-01-28T09:12:33.000Z","type":"habit.created","entity":"habit/x""#
      + #","seen":["b:1~00000000","b:1~0000000a","c:9007199254740991~ffffffff"]"#
      + #","ref":"import \"1\"","more":true,"data":{},"salt":"abcdefghij27""#
    #expect(Array(line.utf8) == sealed(covered) + [0x0A])
  }

  @Test func `members without a value are omitted`() throws {
    let line = try Self.lines { writer in
      try writer.write(
        id: Self.id("a:1"), at: Self.time("2026-01-28T09:12:33Z"), type: "a.b", entity: nil,
        seen: [], data: JSONObject())
    }
    let covered = #"{"id":"a:1","at":"2026-01-28T09:12:33.000Z","type":"a.b","data":{}"#
    #expect(Array(line.utf8) == sealed(covered) + [0x0A])
  }

  @Test func `only quotes, backslashes and control characters are escaped`() throws {
    var scalars = String.UnicodeScalarView()
    for value in UInt32(0)...0x80 { scalars.append(Unicode.Scalar(value)!) }
    let text = String(scalars) + "\u{E9}\u{2028}\u{FEFF}\u{1F600}"
    let line = try Self.lines { writer in
      try writer.write(
        id: Self.id("a:1"), at: Self.time("2026-01-28T09:12:33Z"), type: "a.b", entity: nil,
        seen: [], data: JSONObject([.init(name: text, value: .string(text))]))
    }
    let spelled =
      #"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
      + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d"#
      + ##"\u001e\u001f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"##
      + "abcdefghijklmnopqrstuvwxyz{|}~\u{7F}\u{80}\u{E9}\u{2028}\u{FEFF}\u{1F600}"
    let covered =
      #"{"id":"a:1","at":"2026-01-28T09:12:33.000Z","type":"a.b","data":{""#
      + spelled + "\":\"" + spelled + "\"}"
    #expect(Array(line.utf8) == sealed(covered) + [0x0A])
  }

  @Test func `data keeps the caller's order, and numbers the caller's spelling`() throws {
    let text = #"{"z":7e1,"a":[70.0,-0,{"y":1E+2,"b":null}],"é":"/"}"#
    guard case .object(let data) = try JSONValue(parsing: text.utf8) else {
      Issue.record("not an object")
      return
    }
    let line = try Self.lines { writer in
      try writer.write(
        id: Self.id("a:1"), at: Self.time("2026-01-28T09:12:33Z"), type: "a.b", entity: nil,
        seen: [], data: data)
    }
    #expect(line.contains(#","data":"# + text + #","crc":""#))
  }

  @Test func `lines of one writer continue its chain`() throws {
    var writer = EventLineWriter(after: 0)
    for sequence in Int64(1)...3 {
      try writer.write(
        id: EventID(device: #require(DeviceID("a")), sequence: sequence),
        at: Self.time("2026-01-28T09:12:33Z"), type: "a.b", entity: nil, seen: [],
        data: JSONObject())
    }
    var chain: UInt32 = 0
    for line in writer.bytes.split(separator: 0x0A) {
      let covered = Array(line.dropLast(26))
      #expect(Array(line) == sealed(covered, after: chain))
      chain = LineChecksum.of(covered: covered, after: chain).chain
    }
    #expect(writer.checksum.chain == chain)
  }

  /// Written lines must be canonical, so that they are read without rewriting.
  @Test func `a written line is read in place and round-trips`() throws {
    var scanner = LineScanner()
    let line = try Self.lines { writer in
      try writer.write(
        id: Self.id("a:7"), at: Self.time("2026-01-28T09:12:33.5Z"), type: "habit.created",
        entity: EntityID("habit/x"), seen: [#require(FullEventID("b:3~0000000c"))],
        ref: "\n\u{E9}\\", more: true, data: JSONObject([.init(name: "\"", value: ["\0"])]))
    }
    let event = try #require(scanner.read(Array(line.utf8.dropLast())).event)
    #expect(scanner.slowLineCount == 0)
    #expect(event.id.description == "a:7")
    #expect(event.at?.description == "2026-01-28T09:12:33.500Z")
    #expect(event.type == "habit.created")
    #expect(event.entity?.description == "habit/x")
    #expect(event.seen.map(\.description) == ["b:3~0000000c"])
    #expect(event.ref == "\n\u{E9}\\")
    #expect(event.hasMore)
    #expect(event.version == 1)
    #expect(event.data == JSONObject([.init(name: "\"", value: ["\0"])]))
  }
}
