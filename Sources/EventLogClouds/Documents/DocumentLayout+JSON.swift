public import EventLog

extension DocumentLayout {
  /// Reads a layout from JSON.
  ///
  /// - Parameter text: The JSON text, in UTF-8.
  /// - Throws: `invalidSchema` with the place in the file.
  public init(parsing text: some Sequence<UInt8>) throws(EventLogError) {
    let bytes = Array(text)
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: bytes) } catch {
      let position = error.position(in: bytes)
      throw EventLogError(
        .invalidSchema, "A layout is one JSON object; this one \(error.clause) (\(position.name)).",
        at: .init(line: position.line, byte: Int64(error.byte)))
    }
    try self.init(value)
  }

  init(_ value: JSONValue) throws(EventLogError) {
    let reader = try SchemaReader(
      value, at: "the layout", taking: ["name", "version", "documents"])
    var rules: [Rule] = []
    for (index, value) in (try reader.list("documents") ?? []).enumerated() {
      var section = ""
      if case .string(let text)? = value["section"] { section = text }
      rules.append(try Self.rule(value, at: Self.ruleName(index, section)))
    }
    if rules.isEmpty {
      throw reader.refused("has no documents", hint: "List them under \"documents\".")
    }
    try self.init(
      name: try reader.neededText("name"), version: try Self.version(reader), rules: rules)
  }

  private static func version(_ reader: SchemaReader) throws(EventLogError) -> Int {
    switch reader.object["version"] {
    case nil: return 1
    case .number(let number)?:
      if let version = number.integer { return Int(version) }
    default: break
    }
    throw reader.refused("needs a whole number for \"version\"")
  }

  private static func rule(_ value: JSONValue, at context: String) throws(EventLogError) -> Rule {
    let reader = try SchemaReader(
      value, at: context, taking: ["path", "section", "fields", "where"])
    var rule = Rule(
      path: try reader.neededText("path"), section: try reader.neededText("section"),
      where: JSONObject(try reader.members("where")))
    if reader.object["fields"] != nil {
      var fields: [Field] = []
      for member in try reader.members("fields") { fields.append(try field(member, at: context)) }
      rule.fields = fields
    }
    return rule
  }

  private static func field(
    _ member: JSONObject.Member, at context: String
  ) throws(EventLogError) -> Field {
    if case .string(let source) = member.value { return Field(member.name, from: source) }
    let reader = try SchemaReader(
      member.value, at: "\(context), field \"\(SafeText.quote(member.name))\",",
      taking: ["member", "as"])
    let form = try reader.text("as")
    guard form == nil || form == "timestamp" else {
      throw reader.refused(
        "has an unknown value for \"as\"", hint: "The only value is \"timestamp\".")
    }
    return Field(
      member.name, from: try reader.neededText("member"), isTimestamp: form == "timestamp")
  }

  /// The JSON of the layout, as in a file.
  public var json: JSONValue {
    [
      "name": .string(name), "version": .number(JSONNumber(Int64(version))),
      "documents": .array(
        rules.map { rule in
          var object: JSONObject = [
            "path": .string(rule.path), "section": .string(rule.section),
          ]
          if let fields = rule.fields {
            object["fields"] = .object(
              JSONObject(fields.map { .init(name: $0.name, value: $0.json) }))
          }
          if !rule.conditions.isEmpty { object["where"] = .object(JSONObject(rule.conditions)) }
          return .object(object)
        }),
    ]
  }
}

extension DocumentLayout.Field {
  fileprivate var json: JSONValue {
    isTimestamp ? ["member": .string(member), "as": "timestamp"] : .string(member)
  }
}
