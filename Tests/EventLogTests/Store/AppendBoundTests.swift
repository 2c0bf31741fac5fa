import EventLogTesting
import Testing

@testable import EventLog

/// The upper bound of a line's length, computed before the line is written.
@Suite struct AppendBoundTests {
  /// Texts with the longest spellings.
  private static let texts = [
    "", "a", String(repeating: "\u{1}", count: 128), String(repeating: "😀", count: 128),
    String(repeating: "\"\\", count: 64), String(repeating: "x", count: 128),
  ]
  private static let objects = [
    #"{}"#, #"{"":null,"no":false,"yes":true,"number":-1.25e-300}"#,
    #"{"\u0001\u0002":"\u0003\n\"","list":[],"more":[null,["\u0007",{}],0]}"#,
    #"{"deep":{"a":{"\\":[false,false,true]}},"é":"é"}"#,
  ]

  @Test func `no line is longer than its computed bound`() throws {
    let long = String(repeating: "t", count: 64)
    let device = try #require(DeviceID(String(repeating: "d", count: 64)))
    let at = try #require(Timestamp("9999-12-31T23:59:59.999Z"))
    let entity = try #require(EntityID(kind: long, key: String(repeating: "k", count: 128)))
    for ref in Self.texts where EventDraft.isValid(ref: ref) {
      for text in Self.objects {
        guard case .object(let data) = try JSONValue(parsing: text.utf8) else { continue }
        let draft = EventDraft(
          at: at, type: String(long.dropLast(2)) + ".a", entity: entity, data: data, ref: ref)
        #expect(EventDraft.isValid(type: draft.type))
        var writer = EventLineWriter(after: 0)
        writer.write(
          id: EventID(device: device, sequence: LineLimits.sequenceMax), at: at, type: draft.type,
          entity: entity, seen: [], ref: ref, more: true, data: data)
        let bound = Append.envelopeBytesMax + data.byteBound
        #expect(writer.bytes.count <= bound, "\(ref.debugDescription), \(text)")
      }
    }
  }
}
