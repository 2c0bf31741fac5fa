public import EventLog

extension CollectionSchema {
  /// Creates a collection from its declaration as JSON.
  ///
  /// The declaration isn't checked for contradictions until you add it to a `SchemaCatalog`.
  ///
  /// - Parameter json: A declaration in the form of `json`.
  /// - Throws: `invalidSchema` with the location of the first part that can't be read. Unknown
  ///   members are also errors, to detect typing mistakes.
  public init(json: JSONValue) throws(EventLogError) {
    try self.init(json, at: "The collection")
  }

  /// Returns the collections of a schema file, `{"collections":[…]}`.
  ///
  /// - Parameter text: The contents of the file, in UTF-8.
  /// - Throws: `invalidSchema` with the location of the first part that can't be read, or with the
  ///   line and byte if the text isn't JSON.
  public static func collections(
    parsing text: some Sequence<UInt8>
  ) throws(EventLogError) -> [CollectionSchema] {
    let bytes = Array(text)
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: bytes) } catch {
      let position = error.position(in: bytes)
      throw EventLogError(
        .invalidSchema, "A schema is one JSON object; this one \(error.clause) (\(position.name)).",
        at: .init(line: position.line, byte: Int64(error.byte)))
    }
    let file = try SchemaReader(value, at: "The schema", taking: ["collections"])
    guard let values = try file.list("collections") else {
      throw file.refused("is missing \"collections\"", hint: #"{"collections":[{"kind":"food"}]}"#)
    }
    var collections: [CollectionSchema] = []
    for (index, value) in values.enumerated() {
      var position = "collections[\(index)]"
      if case .object(let object) = value, case .string(let kind)? = object["kind"] {
        position += " \"\(kind)\""
      }
      collections.append(try CollectionSchema(value, at: position))
    }
    return collections
  }

  private static let names = [
    "kind", "section", "singleton", "fields", "furtherFields", "days", "events", "presentation",
  ]

  private init(_ json: JSONValue, at position: String) throws(EventLogError) {
    let reader = try SchemaReader(json, at: position, taking: Self.names)
    var events: [EventSchema]?
    if let values = try reader.list("events") {
      events = []
      for (index, value) in values.enumerated() {
        events?.append(try EventSchema(value, at: "\(position): events[\(index)]"))
      }
    }
    var presentation = Presentation()
    if let value = reader.object["presentation"] {
      presentation = try Presentation(value, at: "\(position): presentation")
    }
    self.init(
      kind: try reader.neededText("kind"), section: try reader.text("section"),
      isSingleton: try reader.flag("singleton"), fields: try Self.fields("fields", of: reader),
      takesFurtherFields: try reader.flag("furtherFields"),
      dayFields: try Self.fields("days", of: reader), events: events, presentation: presentation)
  }

  private static func fields(
    _ name: String, of reader: SchemaReader
  ) throws(EventLogError) -> [FieldSchema] {
    var fields: [FieldSchema] = []
    for member in try reader.members(name) {
      fields.append(
        try FieldSchema(
          member.name, member.value, at: "\(reader.position): \(name).\(member.name)"))
    }
    return fields
  }
}

extension FieldSchema {
  fileprivate init(
    _ name: String, _ json: JSONValue, at position: String
  ) throws(EventLogError) {
    var spelling = ""
    var note = ""
    var cases: [String] = []
    var isDated = false
    var supersedes: [SupersededField] = []
    if case .string(let text) = json {
      spelling = text
    } else {
      let reader = try SchemaReader(
        json, at: position, taking: ["is", "cases", "dated", "note", "supersedes"])
      spelling = try reader.neededText("is")
      for value in try reader.list("cases") ?? [] {
        guard case .string(let text) = value else {
          throw reader.refused("has a case that is not text")
        }
        cases.append(text)
      }
      isDated = try reader.flag("dated")
      for (index, value) in (try reader.list("supersedes") ?? []).enumerated() {
        supersedes.append(
          try SupersededField(json: value, at: "\(position).supersedes[\(index)]"))
      }
      note = try reader.text("note") ?? ""
    }
    let ofMembers = "members of "
    if spelling.hasPrefix(ofMembers),
      let rule = ValueRule(spelling: String(spelling.dropFirst(ofMembers.utf8.count)))
    {
      self.init(
        name, .members, note: note, memberRule: rule, cases: cases, isDated: isDated,
        supersedes: supersedes)
      return
    }
    guard let mechanism = Mechanism(spelling: spelling) else {
      let words = ["counter", "members"] + ValueRule.words
      let first = String(spelling.prefix { $0 != " " })
      let near = words.contains(first) ? nil : Suggestion.nearest(to: first, among: words)
      throw SchemaReader.refused(
        position, "is \"\(spelling)\", which is not a type of field",
        hint: near.map { "Did you mean \"\($0)\"?" }
          ?? "A field can be counter, members, members of entity KIND, \(ValueRule.forms).")
    }
    self.init(
      name, mechanism, note: note, cases: cases, isDated: isDated, supersedes: supersedes)
  }
}

extension EventSchema {
  private static let names = [
    "type", "summary", "does", "members", "writesFields", "needsChange", "assigns",
  ]

  fileprivate init(_ json: JSONValue, at position: String) throws(EventLogError) {
    let reader = try SchemaReader(json, at: position, taking: Self.names)
    var lifecycle = Lifecycle.none
    if let word = try reader.text("does") {
      let known: [Lifecycle] = [.begins, .deletes, .restores]
      guard let found = known.first(where: { $0.word == word }) else {
        let words = known.compactMap(\.word)
        throw reader.refused(
          "does \"\(word)\", which is unknown",
          hint: Suggestion.nearest(to: word, among: words).map { "Did you mean \"\($0)\"?" }
            ?? "It can do \(words.joined(separator: ", ")).")
      }
      lifecycle = found
    }
    var members: [MemberSchema] = []
    for member in try reader.members("members") {
      members.append(
        try MemberSchema(member.name, member.value, at: "\(position): members.\(member.name)"))
    }
    self.init(
      try reader.neededText("type"), members, writesFields: try reader.flag("writesFields"),
      needsChange: try reader.flag("needsChange"),
      assigns: try reader.members("assigns").map { Assignment($0.name, $0.value) },
      lifecycle: lifecycle, summary: try reader.text("summary") ?? "")
  }
}

extension MemberSchema {
  fileprivate init(
    _ name: String, _ json: JSONValue, at position: String
  ) throws(EventLogError) {
    guard case .string(let text) = json else { throw SchemaReader.refused(position, "is not text") }
    let isOptional = text.hasSuffix("?")
    let words = (isOptional ? text.dropLast() : text[...])
      .split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let role: Role? =
      switch (words[0], words.count) {
      case ("day", 1): .day
      case ("key", 1): .key
      case ("include", 1): .include
      case ("exclude", 1): .exclude
      case ("write", 2): .write(field: words[1])
      case ("set", 2): .set(field: words[1])
      case ("advance", 2): .advance(field: words[1])
      default: nil
      }
    guard let role else {
      throw SchemaReader.refused(
        position, "is \"\(text)\", which is unknown",
        hint: "A member can be day, key, include, exclude, write FIELD, set FIELD or advance FIELD;"
          + " followed by ?, it is optional.")
    }
    self.init(name, role, isRequired: !isOptional)
  }
}

extension Presentation {
  fileprivate init(_ json: JSONValue, at position: String) throws(EventLogError) {
    let reader = try SchemaReader(json, at: position, taking: ["flat", "defaults", "days"])
    self.init(
      isFlat: try reader.flag("flat"),
      defaults: try reader.members("defaults").map { EventSchema.Assignment($0.name, $0.value) })
    guard let days = reader.object["days"] else { return }
    let section = try SchemaReader(
      days, at: "\(position): days",
      taking: [
        "section", "entity", "progress", "goal", "schedule", "target", "period", "skipped",
      ])
    daySection = DaySection(
      section: try section.neededText("section"), entityMember: try section.neededText("entity"),
      progressField: try section.neededText("progress"),
      goalField: try section.neededText("goal"), scheduleField: try section.neededText("schedule"),
      targetField: try section.text("target"), periodField: try section.text("period"),
      skipField: try section.text("skipped"))
  }
}

extension ValueRule {
  /// The forms of all spellings, as a list in a sentence.
  fileprivate static var forms: String {
    words.map { word in
      switch word {
      case "integer": "integer, integer 1...10"
      case "entity": "entity KIND"
      case "list": "or list of one of these"
      default: word
      }
    }.joined(separator: ", ")
  }
}
