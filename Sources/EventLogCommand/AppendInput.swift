import EventLog

/// What the words of `append` ask for.
struct AppendInput {
  private(set) var events: [(draft: EventDraft, entity: EntityReference?)] = []
  /// The line of the input that each event stands in, for an import.
  private(set) var lines: [Int] = []
  /// Sentences about what is allowed and may not be meant.
  private(set) var notices: [String] = []

  /// The largest import, in bytes: all of it is checked before anything is written.
  static let importBytesMax = 1 << 29

  private static let importMembers = ["type", "entity", "data", "at", "ref"]

  init(_ arguments: Arguments) throws {
    let words = arguments.words.dropFirst()
    guard let type = words.first else {
      throw EventLogError.usage(
        "append needs the type of the event, or - to read events from standard input.", "append")
    }
    if type == "-" {
      try readImport(arguments)
    } else {
      try readEvent(type, Array(words.dropFirst()), arguments)
    }
  }

  // MARK: - One event

  private mutating func readEvent(
    _ type: String, _ words: [String], _ arguments: Arguments
  ) throws(EventLogError) {
    let catalog = SchemaCatalog.standard
    let declared = catalog.type(type)
    var name: String?
    var data = JSONObject()
    for word in words {
      if let field = try Self.field(word, declared) {
        guard data[field.name] == nil else {
          throw .usage("The field \"\(field.name)\" is given twice.", "append")
        }
        data[field.name] = field.value
      } else if name == nil {
        name = word
      } else {
        throw .usage(
          "\"\(word)\" is neither FIELD=VALUE nor the entity, which is \"\(name!)\".", "append")
      }
    }
    if let text = arguments["data"] {
      guard data.members.isEmpty else {
        throw .usage("--data is the whole data: give no FIELD=VALUE beside it.", "append")
      }
      data = try Self.object(text, called: "--data")
    }
    var draft = EventDraft(type: type, data: data, ref: arguments["ref"])
    if let text = arguments["at"] {
      guard let at = Timestamp(text) else {
        throw .usage(
          "--at needs a real time with seconds and an offset or Z.", "append",
          hint: "For example 2026-01-28T09:12:33Z or 2026-01-28T10:12:33+01:00.")
      }
      draft.at = at
    }
    Self.addToday(to: &draft, declared?.event, at: arguments["at"])
    if let declared { try Self.checkSaysSomething(draft, declared.event) }
    events = [(draft, try Self.reference(name, declared))]
    if let declared { noteNearMisses(data, declared) }
  }

  /// A further field whose name is nearly that of a declared one is written, and pointed out.
  private mutating func noteNearMisses(
    _ data: JSONObject, _ declared: (collection: CollectionSchema, event: EventSchema)
  ) {
    guard declared.event.writesFields else { return }
    let names = declared.collection.fields.map(\.name)
    let known = Set(names + declared.event.members.map(\.name))
    for name in data.members.map(\.name) where !known.contains(name) {
      guard let near = Suggestion.nearest(to: name, among: names) else { continue }
      notices.append(
        "\"\(Table.cell(name))\" was written as a field of its own. Did you mean \(near)?")
    }
  }

  private static func reference(
    _ name: String?, _ declared: (collection: CollectionSchema, event: EventSchema)?
  ) throws(EventLogError) -> EntityReference? {
    guard let declared, !declared.collection.isSingleton else {
      return name.map(EntityReference.matching)
    }
    let begins = declared.event.lifecycle == .begins
    guard let name else { return begins ? .minted : nil }
    guard begins else { return .matching(name) }
    // A new entity is never looked for: its key is what was given.
    guard let entity = EntityID(name) ?? EntityID(kind: declared.collection.kind, key: name) else {
      throw EventLogError(
        invalid: "\"\(Table.cell(name))\" cannot be the key of a \(declared.collection.kind): a key"
          + " is 1 to 128 of A-Z a-z 0-9 . _ ~ -. Nothing was written.")
    }
    return .exact(entity)
  }

  /// A day that is left out is the day of `--at` as it is typed there, else today.
  private static func addToday(
    to draft: inout EventDraft, _ event: EventSchema?, at time: String?
  ) {
    for member in event?.members ?? [] where member.role == .day {
      if draft.data[member.name] == nil {
        draft.data[member.name] = .string(time.map { String($0.prefix(10)) } ?? Terminal.today)
      }
    }
  }

  /// An event that would change nothing is a mistake at the command line: a journal never forgets.
  private static func checkSaysSomething(
    _ draft: EventDraft, _ event: EventSchema
  ) throws(EventLogError) {
    if event.writesFields, event.lifecycle == .none, draft.data.members.isEmpty {
      throw .usage("\(event.type) needs a field to write, FIELD=VALUE.", "append")
    }
    for member in event.members {
      switch (member.role, draft.data[member.name]) {
      case (.key, .string("")?), (.include, .array([])?), (.exclude, .array([])?):
        throw .usage("\(event.type) needs something in \"\(member.name)\".", "append")
      default: break
      }
    }
  }

  /// `FIELD=VALUE` or `FIELD:=JSON`; nil for a word without `=`.
  private static func field(
    _ word: String, _ declared: (collection: CollectionSchema, event: EventSchema)?
  ) throws(EventLogError) -> JSONObject.Member? {
    guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")), equals > word.startIndex
    else {
      if word.utf8.first == UInt8(ascii: "=") {
        throw .usage("A field needs a name before its =.", "append")
      }
      return nil
    }
    let before = word[..<equals]
    let text = String(word[word.utf8.index(after: equals)...])
    if before.hasSuffix(":"), before.count > 1 {
      let name = String(before.dropLast())
      return .init(name: name, value: try json(text, called: "The value of \"\(name)\""))
    }
    let name = String(before)
    return .init(name: name, value: try read(text, name, declared))
  }

  /// Reads a value by the rule of its field.
  private static func read(
    _ text: String, _ name: String,
    _ declared: (collection: CollectionSchema, event: EventSchema)?
  ) throws(EventLogError) -> JSONValue {
    guard let (collection, event) = declared else { return ValueRule.any.read(text)! }
    var rule = ValueRule.any
    let allFields = collection.dayFields + collection.fields
    if let member = event.members.first(where: { $0.name == name }) {
      switch member.role {
      case .day: rule = .date
      case .key: rule = .text
      case .set, .advance: rule = .integer(-1_000_000_000...1_000_000_000)
      case .include, .exclude:
        let members = text.split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
        return .array(members.map { .string($0) })
      case .write(let field):
        let schema = allFields.first { $0.name == field }
        if case .register(let declared)? = schema?.mechanism { rule = declared }
      }
    } else if let field = collection.fields.first(where: { $0.name == name }),
      case .register(let declared) = field.mechanism
    {
      rule = declared
    }
    // What breaks the rule is handed on as text, and refused by the store like any other event.
    return rule.read(text) ?? .string(text)
  }

  /// Without the spaces at both ends.
  private static func trimmed(_ text: some StringProtocol) -> String {
    let spaces: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(text.drop(while: spaces).reversed().drop(while: spaces).reversed())
  }

  // MARK: - JSON

  private static func json(
    _ text: String, called name: String
  ) throws(EventLogError) -> JSONValue {
    do throws(LineFault) { return try JSONValue(parsing: text.utf8) } catch {
      throw EventLogError(
        invalid: "\(name) \(error.clause) (byte \(error.byte)). Nothing was written.")
    }
  }

  private static func object(
    _ text: String, called name: String
  ) throws(EventLogError) -> JSONObject {
    guard case .object(let object) = try json(text, called: name) else {
      throw EventLogError(invalid: "\(name) must be a JSON object. Nothing was written.")
    }
    return object
  }

  // MARK: - Import

  private mutating func readImport(_ arguments: Arguments) throws {
    for name in ["data", "at", "ref"] where arguments.has(name) {
      throw EventLogError.usage("--\(name) goes with one event, not with an import.", "append")
    }
    guard arguments.words.count == 2 else {
      throw EventLogError.usage("- takes no further words.", "append")
    }
    guard let input = try Terminal.readInput(limit: Self.importBytesMax) else {
      throw EventLogError(
        invalid: "The input has over \(Self.importBytesMax) bytes. Nothing was written.")
    }
    for (index, line) in input.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      try readImportLine(line, number: index + 1)
    }
  }

  private mutating func readImportLine(
    _ line: ArraySlice<UInt8>, number: Int
  ) throws(EventLogError) {
    func refused(_ reason: String, hint: String? = nil) -> EventLogError {
      EventLogError(
        .invalidInput, "Line \(number) of the input: \(reason). Nothing was written.", hint: hint,
        at: .init(line: number))
    }
    guard line.count <= LineLimits.lineBytesMax else {
      throw refused("it is longer than \(LineLimits.lineBytesMax) bytes")
    }
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: line) } catch {
      throw refused("it \(error.clause) (byte \(error.byte))")
    }
    guard case .object(let object) = value else { throw refused("it is not a JSON object") }
    var draft = EventDraft(type: "")
    var entity: EntityReference?
    for member in object.members {
      switch (member.name, member.value) {
      case ("type", .string(let text)): draft.type = text
      case ("data", .object(let data)): draft.data = data
      case ("ref", .string(let text)): draft.ref = text
      case ("at", .string(let text)):
        guard let at = Timestamp(text) else {
          throw refused("\"at\" needs a real time with seconds and an offset or Z")
        }
        draft.at = at
      case ("entity", .string(let text)):
        guard let exact = EntityID(text) else {
          throw refused("\"entity\" must be <kind>/<key>")
        }
        entity = .exact(exact)
      case ("type", _), ("data", _), ("ref", _), ("at", _), ("entity", _):
        throw refused(
          "\"\(member.name)\" must be \(member.name == "data" ? "an object" : "text")")
      default:
        throw refused(
          "\"\(Table.cell(member.name))\" is none of type, entity, data, at, ref",
          hint: Suggestion.nearest(to: member.name, among: Self.importMembers)
            .map { "Did you mean \($0)?" })
      }
    }
    guard object["type"] != nil else { throw refused("it lacks \"type\"") }
    let declared = SchemaCatalog.standard.type(draft.type)
    if entity == nil, declared?.event.lifecycle == .begins { entity = .minted }
    events.append((draft, entity))
    lines.append(number)
  }
}

extension EventLogError {
  /// An error of what was given as an event.
  init(invalid message: String) {
    self.init(invalidInput: message)
  }
}
