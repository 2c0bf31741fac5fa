import EventLog
import EventLogImport

/// The `FIELD=VALUE` and `FIELD:=JSON` arguments of one event, parsed by the rules of its type.
struct FieldArguments {
  typealias Declaration = (collection: CollectionSchema, event: EventSchema)

  /// Nil for an unknown type, which may have any fields.
  let declared: Declaration?
  private(set) var data = JSONObject()
  /// The members of `data` that contain set members typed as text.
  private var typedMembers: Set<String> = []
  /// The members of `data` that contain unresolved links, with the kinds of the linked entities.
  private(set) var links: [String: String] = [:]

  /// The members of `data` that name files to attach: `@PATH`.
  private(set) var files: [String] = []

  init(_ declared: Declaration?) { self.declared = declared }

  /// Adds an argument to the data. Returns false if it isn't a field, because it contains no `=`.
  mutating func parse(_ argument: String) throws(EventLogError) -> Bool {
    guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals > argument.startIndex
    else {
      if argument.utf8.first == UInt8(ascii: "=") {
        throw .usage("A field needs a name before the =.", "append")
      }
      return false
    }
    let before = argument[..<equals]
    var text = String(argument[argument.utf8.index(after: equals)...])
    // Members to remove keep their spelling.
    if !excludes { text = text.composed }
    if before.hasSuffix(":"), before.count > 1 {
      let name = String(before.dropLast())
      let value = try Self.json(text, called: "The value of \"\(name)\"")
      try put(name, excludes ? value : value.composed)
    } else {
      let name = String(before)
      try put(name, try parseValue(text, name))
      if let member = setMembers(named: name)?.members ?? (isMembers(name) ? name : nil) {
        typedMembers.insert(member)
      } else if let kind = rule(of: name).linkedKind {
        links[name] = kind
      } else if rule(of: name).takesFile, text.hasPrefix("@") {
        files.append(name)
      } else if text.hasPrefix("@"), !Terminal.isMissing(String(text.dropFirst())) {
        throw EventLogError(
          .invalidInput,
          "\"\(Visible.text(name))\" takes no file, and \"\(Visible.text(text))\" is the path of"
            + " one. Nothing was written.",
          hint: "Declare the field as an attachment, or write the text as JSON:"
            + " \(ShellWord.quoted("\(name):=\"\(text)\""))")
      }
    }
    return true
  }

  /// Parses the typed members of each set by its rule, after all arguments were added.
  ///
  /// Links are only recorded: ``LinkArguments`` resolves them.
  mutating func parseMembers() {
    guard let (collection, event) = declared else { return }
    for name in typedMembers {
      guard let field = collection.field(writtenBy: name, of: event, in: data),
        case .array(let values)? = data[name]
      else { continue }
      links[name] = field.memberRule.linkedKind
      if links[name] != nil { continue }
      data[name] = .array(
        values.map { value in
          guard case .string(let text) = value,
            case .string(let parsed)? = field.memberRule.read(text)
          else { return value }
          return .string(parsed)
        })
    }
  }

  // MARK: - Names

  private mutating func put(_ name: String, _ value: JSONValue) throws(EventLogError) {
    if let set = setMembers(named: name) {
      if value == .array([]) {
        throw .usage("\(declared!.event.type) needs a value for \"\(name)\".", "append")
      }
      if let other = data[set.key], other != .string(name) {
        throw .usage("An event changes only one set, and \"\(name)\" is a second one.", "append")
      }
      data[set.key] = .string(name)
      return try add(value, to: set.members, called: name)
    }
    if isMembers(name) { return try add(value, to: name, called: name) }
    guard data[name] == nil else {
      throw .usage("The field \"\(name)\" is given twice.", "append")
    }
    try checkIsNoSet(name)
    data[name] = value
  }

  /// Adds a value. Members are appended to those given before.
  private mutating func add(
    _ value: JSONValue, to member: String, called name: String
  ) throws(EventLogError) {
    guard let given = data[member] else {
      data[member] = value
      return
    }
    guard case .array(let before) = given, case .array(let further) = value else {
      throw .usage("The field \"\(name)\" is given twice.", "append")
    }
    data[member] = .array(before + further)
  }

  /// Refuses a name that resembles a set's name, because it's probably a typo.
  private func checkIsNoSet(_ name: String) throws(EventLogError) {
    guard let (collection, event) = declared, event.member(name) == nil,
      event.members.contains(where: { $0.role == .key })
    else { return }
    let sets = (collection.fields + collection.dayFields).filter { $0.mechanism == .members }
    guard let near = Suggestion.nearest(to: name, among: sets.map(\.name)) else { return }
    throw .usage(
      "\(event.type) has no set \"\(name)\".", "append", hint: "Did you mean \(near)?")
  }

  /// Whether the event removes members from a set.
  private var excludes: Bool {
    declared?.event.members.contains { $0.role == .exclude } ?? false
  }

  private func isMembers(_ name: String) -> Bool {
    let role = declared?.event.member(name)?.role
    return role == .include || role == .exclude
  }

  /// Returns the members of `data` for the set and its changed members, if `name` is only a set's
  /// name: `tags=a,b` means `key=tags members=a,b`.
  private func setMembers(named name: String) -> (key: String, members: String)? {
    guard let (collection, event) = declared, event.member(name) == nil,
      (collection.fields + collection.dayFields).contains(where: {
        $0.name.hasBytes(of: name) && $0.mechanism == .members
      }),
      let key = event.members.first(where: { $0.role == .key }),
      let members = event.members.first(where: { $0.role == .include || $0.role == .exclude })
    else { return nil }
    return (key.name, members.name)
  }

  // MARK: - Values

  /// Parses a value by the rule of its field.
  ///
  /// Links are kept as typed: ``LinkArguments`` resolves them.
  private func parseValue(_ text: String, _ name: String) throws(EventLogError) -> JSONValue {
    if setMembers(named: name) != nil || isMembers(name) { return try Self.texts(text, of: name) }
    let rule = rule(of: name)
    switch rule {
    case .entity: return .string(text)
    case .attachment where text.hasPrefix("@"): return .string(text)
    case .list(of: .attachment) where text.hasPrefix("@"):
      return .array(ValueRule.elements(text).map { .string($0) })
    case .list(of: .entity): return .array(ValueRule.elements(text).map { .string($0) })
    // Keep an invalid value as text: the store refuses it with its own error.
    default: return rule.read(text) ?? .string(text)
    }
  }

  /// Returns the rule of a member that isn't a set.
  private func rule(of name: String) -> ValueRule {
    guard let (collection, event) = declared else { return .any }
    if name == CollectionSchema.fromMember, collection.takesFrom(event) { return .date }
    var schema = collection.field(name)
    if let member = event.member(name) {
      switch member.role {
      case .day: return .date
      case .key, .include, .exclude: return .text
      case .set, .advance: return .number
      case .write(let field):
        schema = collection.field(field, ofDay: true) ?? collection.field(field)
      }
    }
    if case .register(let rule)? = schema?.mechanism { return rule }
    return .any
  }

  /// Splits text into members.
  ///
  /// Empty members are refused here, because they may come from an empty shell variable.
  private static func texts(_ text: String, of name: String) throws(EventLogError) -> JSONValue {
    let members = ValueRule.elements(text)
    let partCount = text.split(separator: ",", omittingEmptySubsequences: false).count
    guard members.isEmpty || members.count == partCount else {
      throw .usage(
        "The members of \"\(name)\" have a comma too many, or one of them is empty.", "append",
        hint: "Leave the comma out, or write the members as JSON: \(name):=[\"a\",\"\"].")
    }
    return .array(members.map { .string($0) })
  }

  static func json(_ text: String, called name: String) throws(EventLogError) -> JSONValue {
    do throws(LineFault) { return try JSONValue(parsing: text.utf8) } catch {
      throw EventLogError(
        invalid: "\(name) \(error.clause) (byte \(error.byte)). Nothing was written.")
    }
  }

  static func object(
    _ text: String, called name: String
  ) throws(EventLogError) -> JSONObject {
    guard case .object(let object) = try json(text, called: name) else {
      throw EventLogError(invalid: "\(name) must be a JSON object. Nothing was written.")
    }
    return object
  }
}
