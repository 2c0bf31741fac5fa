extension CollectionSchema {
  /// The declaration as JSON, in the form of a schema file.
  ///
  /// Everything that follows from the rest is left out. If a ``SchemaCatalog`` accepts the
  /// collection, `init(json:)` of `EventLogInspection` returns an equal declaration.
  public var json: JSONValue {
    var members: [JSONObject.Member] = [.init(name: "kind", value: .string(kind))]
    func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
    if section != Self.section(ofKind: kind, isSingleton: isSingleton) {
      add("section", .string(section))
    }
    if isSingleton { add("singleton", true) }
    if !fields.isEmpty { add("fields", Self.json(fields)) }
    if takesFurtherFields { add("furtherFields", true) }
    if !dayFields.isEmpty { add("days", Self.json(dayFields)) }
    if events != derivedEvents { add("events", .array(events.map(\.json))) }
    if presentation != Presentation() { add("presentation", presentation.json) }
    return .object(JSONObject(members))
  }

  private static func json(_ fields: [FieldSchema]) -> JSONValue {
    .object(JSONObject(fields.map { .init(name: $0.name, value: $0.json) }))
  }

  /// Returns the contents of a schema file for some collections.
  ///
  /// - Parameter collections: The collections.
  public static func file(_ collections: [CollectionSchema]) -> JSONValue {
    ["collections": .array(collections.map(\.json))]
  }
}

extension FieldSchema {
  fileprivate var json: JSONValue {
    let members = memberRule == .text ? "" : " of \(memberRule.spelling)"
    let spelling: JSONValue = .string(mechanism.spelling + members)
    var object: JSONObject = ["is": spelling]
    if !cases.isEmpty { object["cases"] = .array(cases.map { .string($0) }) }
    if isDated { object["dated"] = true }
    if !supersedes.isEmpty { object["supersedes"] = .array(supersedes.map(\.json)) }
    if !note.isEmpty { object["note"] = .string(note) }
    return object.members.count == 1 ? spelling : .object(object)
  }
}

extension FieldSchema.Mechanism {
  /// The mechanism as it is written in a schema file: `counter`, `members`, or the rule of a
  /// register.
  public var spelling: String {
    switch self {
    case .register(let rule): rule.spelling
    case .counter: "counter"
    case .members: "members"
    }
  }

  /// Creates a mechanism from its ``spelling``, or returns `nil` if it isn't valid.
  public init?(spelling: String) {
    switch spelling {
    case "counter": self = .counter
    case "members": self = .members
    default:
      guard let rule = ValueRule(spelling: spelling) else { return nil }
      self = .register(rule)
    }
  }
}

extension EventSchema {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["type": .string(type)]
    if !summary.isEmpty { object["summary"] = .string(summary) }
    if let word = lifecycle.word { object["does"] = .string(word) }
    if !members.isEmpty {
      object["members"] = .object(
        JSONObject(members.map { .init(name: $0.name, value: .string($0.spelling)) }))
    }
    if writesFields { object["writesFields"] = true }
    if needsChange { object["needsChange"] = true }
    if !assigns.isEmpty { object["assigns"] = JSONValue.assignments(assigns) }
    return .object(object)
  }
}

extension EventSchema.Lifecycle {
  /// The word in a schema file, or nil if there is none.
  package var word: String? {
    switch self {
    case .none: nil
    case .begins: "begins"
    case .deletes: "deletes"
    case .restores: "restores"
    }
  }
}

extension MemberSchema {
  /// The role as it is written in a schema file, with a `?` if the member is optional.
  fileprivate var spelling: String {
    let words =
      switch role {
      case .day: "day"
      case .write(let field): "write \(field)"
      case .set(let field): "set \(field)"
      case .advance(let field): "advance \(field)"
      case .key: "key"
      case .include: "include"
      case .exclude: "exclude"
      }
    return words + (isRequired ? "" : "?")
  }
}

extension Presentation {
  fileprivate var json: JSONValue {
    var object = JSONObject()
    if isFlat { object["flat"] = true }
    if !defaults.isEmpty { object["defaults"] = JSONValue.assignments(defaults) }
    if let days = daySection {
      var section: JSONObject = [
        "section": .string(days.section), "entity": .string(days.entityMember),
        "progress": .string(days.progressField), "goal": .string(days.goalField),
        "schedule": .string(days.scheduleField),
      ]
      if let name = days.targetField { section["target"] = .string(name) }
      if let name = days.periodField { section["period"] = .string(name) }
      if let name = days.skipField { section["skipped"] = .string(name) }
      object["days"] = .object(section)
    }
    return .object(object)
  }
}

extension JSONValue {
  fileprivate static func assignments(_ assignments: [EventSchema.Assignment]) -> JSONValue {
    .object(JSONObject(assignments.map { .init(name: $0.field, value: $0.value) }))
  }
}
