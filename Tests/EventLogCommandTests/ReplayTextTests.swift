import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLogCommand

/// The output of `replay`, which is made from the bytes of lines, compared with text made from
/// values.
@Suite struct ReplayTextTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  /// The text of an event, made from its values.
  private func text(_ event: Event, _ id: EventID) -> String {
    guard let at = event.at else { return "\(id)  an event of format version \(event.version)" }
    var parts = [at.description, id.description, event.type]
    if let entity = event.entity { parts.append(entity.description) }
    for member in event.data.members {
      let value: String
      if case .string(let text) = member.value { value = text } else { value = member.value.text }
      parts.append("\(Visible.text(member.name))=\(Visible.text(value))")
    }
    return Visible.line(parts.joined(separator: "  "), keepingStyles: false)
  }

  /// The expected output of `replay` and `replay --json`.
  private func expected(
    _ name: String, where isWanted: (Event) -> Bool = { _ in true }
  ) throws -> (text: [UInt8], json: [UInt8]) {
    let journal = Journal(path: workplace.file(name), catalog: .standard)
    let known = try journal.knownEvents()
    var (text, json) = ([UInt8](), [UInt8]())
    _ = try journal.replay { event, line in
      guard isWanted(event) else { return true }
      text += Array(self.text(event, known.id(of: event.fullID)).utf8) + [0x0A]
      json += line + [0x0A]
      return true
    }
    return (text, json)
  }

  private func check(_ name: String) throws {
    let expected = try expected(name)
    #expect(try workplace.eventlog("replay", name).output == expected.text, "\(name)")
    #expect(try workplace.eventlog("replay", name, "--json").output == expected.json, "\(name)")
  }

  /// Texts with all kinds of invisible characters, alone and joined.
  private static var texts: [String] {
    let pieces = [
      "", "a", "~ \"quoted\" \\ back", "\n", "\r\t", "\u{8}\u{C}\u{0}\u{1F}", "\u{1B}[31m",
      "\u{7F}",
      "\u{85}\u{9B}", "Müsli 食べる", "é", "e\u{301}", "\u{202E}", "\u{2066}", "\u{200D}", "\u{200C}",
      "\u{FE0F}", "❤", "👩", "👧", "🔥", "1", "\u{20E3}", "می", "क्", "ष", "\u{2028}", "\u{FEFF}",
      "\u{AD}", "\u{2800}", "\u{FFF9}", "\u{E0041}", "\u{10FFFF}", "\u{FFFD}", "한", "\u{3164}",
    ]
    var random = SplitMix64(seed: 5)
    return pieces
      + (0..<3000).map { _ in
        (0..<Int.random(in: 2...5, using: &random))
          .map { _ in pieces.randomElement(using: &random)! }.joined()
      }
  }

  @Test func `escaped and raw bytes print the same as their text`() {
    var visible = VisibleBytes()
    for text in Self.texts {
      for isEscaped in [true, false] {
        let piece = isEscaped ? StringSpelling.spelled(text.utf8) : Array(text.utf8)
        let bytes = Array("before".utf8) + piece + Array("behind".utf8)
        var output = Array("kept".utf8)
        visible.append(
          ByteRange(offset: 6, count: Int32(piece.count)), of: bytes.span, isEscaped: isEscaped,
          to: &output)
        // The expected text is made visible twice, like a whole line.
        let shown = "kept" + Visible.line(Visible.text(text), keepingStyles: false)
        #expect(output.elementsEqual(shown.utf8), "\(shown)")
      }
    }
  }

  @Test func `replay prints unusual values the same as the text made from them`() throws {
    var phone = HandmadeDevice("phone-22222222")
    var lines = phone.join(user: "ada") + [0x0A]
    for text in Self.texts.prefix(400) {
      let value = JSONValue.string(text)
      var members = [JSONObject.Member(name: "plain", value: value)]
      if !text.isEmpty { members.append(.init(name: text, value: [value, 1, true, .null])) }
      members.append(
        .init(name: "deep", value: ["a": value, "b": .number(JSONNumber(trusted: "1.5e3"))]))
      let at = phone.tip.sequence * 86_399_999 * 300 - 62_167_219_200_000
      lines += phone.write(
        "settings.changed", nil, JSONObject(members), at: Timestamp(milliseconds: at)!)
      lines.append(0x0A)
    }
    try workplace.write("odd.jsonl", lines)
    try check("odd.jsonl")
  }

  @Test(arguments: ["ada.jsonl", "damaged.jsonl", "loop.jsonl", "two-devices.jsonl"])
  func `replay prints the samples the same as the text made from their values`(name: String) throws
  {
    try workplace.copy(folder: "SampleLogs")
    try check("SampleLogs/\(name)")
  }

  @Test func `replay prints a fork and a line with spaces the same as their values`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > out
      $ clone a b
      $ eventlog append a.jsonl settings.changed theme=light > out
      $ sed 's/{"theme"/{ "theme"/' a.jsonl > spaced.jsonl
      """)
    try check("a.jsonl")
    try check("spaced.jsonl")
  }

  @Test func `filters of replay select the same events as a comparison of values`() throws {
    try workplace.copy(folder: "SampleLogs")
    let name = "SampleLogs/two-devices.jsonl"
    let filters: [([String], (Event) -> Bool)] = [
      (["--type", "habit.*"], { $0.type.hasPrefix("habit.") }),
      (["--type", "*"], { _ in true }), (["--type", "habit"], { _ in false }),
      (["--type", "habit.created"], { $0.type == "habit.created" }),
      (["--entity", "habit/read"], { $0.entity?.description == "habit/read" }),
      (["--entity", "read"], { $0.entity?.key == "read" }), (["--entity", ""], { _ in false }),
      (["--entity", "/read"], { _ in false }), (["--entity", "ad"], { _ in false }),
      (["--device", "phone-ufryznu4"], { $0.id.device.text == "phone-ufryznu4" }),
    ]
    for (arguments, isWanted) in filters {
      let expected = try expected(name, where: isWanted)
      #expect(
        try workplace.eventlog(["replay", name] + arguments).output == expected.text, "\(arguments)"
      )
      let last = expected.text.split(separator: 0x0A).suffix(2).flatMap { $0 + [0x0A] }
      let run = try workplace.eventlog(["replay", name] + arguments + ["--last", "2"])
      #expect(run.output == last, "\(arguments)")
      #expect(run.errorText.isEmpty != expected.text.isEmpty)
    }
  }

  @Test func `replaying an unknown entity is an error with a hint`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada habit.created read name="Read a book" > id
      $ eventlog replay a.jsonl --entity "Read a book"
      ! Error: a.jsonl contains no events of an entity "Read a book".
      ! Hint: Did you mean habit/read?
      ? 2
      $ eventlog replay a.jsonl --entity habit/raed
      ! Error: a.jsonl contains no events of an entity "habit/raed".
      ! Hint: Did you mean habit/read?
      ? 2
      $ eventlog replay a.jsonl --entity xyzzy
      ! Error: a.jsonl contains no events of an entity "xyzzy".
      ! Hint: eventlog project a.jsonl shows what exists.
      ? 2
      $ eventlog replay a.jsonl --entity read --at 2020-01-01T00:00:00Z > out
      ! Error: a.jsonl contains no events of an entity "read".
      ! Hint: eventlog project a.jsonl shows what exists.
      ? 2
      """)
  }

  @Test func `replay with --last prints the last of thousands of events`() throws {
    var phone = HandmadeDevice("phone-22222222")
    var lines = phone.join(user: "ada") + [0x0A]
    for number in 2...2600 { lines += phone.event(text: "\(number)") + [0x0A] }
    try workplace.write("many.jsonl", lines)
    let all = try expected("many.jsonl").text.split(separator: 0x0A)
    for last in [0, 1, 1023, 1025, 2400, 6000] {
      let run = try workplace.eventlog("replay", "many.jsonl", "--last", "\(last)")
      let expected: [UInt8] = Array(all.suffix(last).map { $0 + [0x0A] }.joined())
      #expect(run.output == expected, "\(last)")
    }
  }
}
