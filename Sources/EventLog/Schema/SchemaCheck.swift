/// Finds mistakes in declarations of collections, before a fold relies on them.
///
/// Each collection is checked by itself and against those added before.
struct SchemaCheck {
  private var kinds: Set<String> = []
  /// The kind of each section.
  private var sections: [String: String] = [:]
  private var types: [String: String] = [:]
  private var fieldNames: Set<String> = []

  /// The maximum number of a collection's fields, of its types, and of one type's members.
  static let countMax = 256
  /// The maximum of types times field names in a catalog, which is the size of a table in the fold.
  static let tableMax = 1 << 22

  /// Adds a collection; throws `invalidSchema` with the first mistake.
  mutating func add(_ collection: CollectionSchema) throws(EventLogError) {
    let kind = collection.kind
    try checkSize(collection)
    try checkKind(collection)
    try checkSections(collection)
    try checkFields(collection)
    try SupersedingCheck(collection: collection).check()
    for event in collection.events {
      if let other = types[event.type] {
        throw refused(
          kind,
          "its type \"\(event.type)\" is declared twice"
            + (other == kind ? "" : ", first by \(other)"),
          hint: "Rename one of them.")
      }
      types[event.type] = kind
    }
    try EventSchemaCheck(collection: collection).check()
    try PresentationCheck(collection: collection).check()
  }

  private func refused(_ kind: String, _ reason: String, hint: String? = nil) -> EventLogError {
    .refusedSchema(kind, reason, hint: hint)
  }

  /// Runs first, because other checks take quadratic time.
  private mutating func checkSize(_ collection: CollectionSchema) throws(EventLogError) {
    let fields = collection.fields + collection.dayFields
    let counts = [fields.count, collection.events.count] + collection.events.map(\.members.count)
    guard counts.allSatisfy({ $0 <= Self.countMax }) else {
      throw refused(
        collection.kind, "it has more than \(Self.countMax) fields, types, or members of one type",
        hint: "Split it into several collections.")
    }
    fieldNames.formUnion(
      fields.flatMap(\.names) + collection.events.flatMap(\.members).map(\.name))
    guard (types.count + collection.events.count) * fieldNames.count <= Self.tableMax else {
      throw refused(
        collection.kind, "together with the others, it has too many types and fields",
        hint: "Declare fewer of them, or give fields of different collections the same names.")
    }
  }

  // MARK: - Names

  private mutating func checkKind(_ collection: CollectionSchema) throws(EventLogError) {
    let kind = collection.kind
    guard EntityID(kind: kind, key: "a") != nil else {
      throw refused(
        kind, "its kind must be 1 to 64 characters of a-z 0-9 -",
        hint: "Use a kind such as shopping-list.")
    }
    guard !SchemaCatalog.reservedKinds.contains(kind) else {
      throw refused(
        kind, "the kind \"\(kind)\" is reserved for the store", hint: "Choose another kind.")
    }
    guard kinds.insert(kind).inserted else {
      throw refused(
        kind, "the kind \"\(kind)\" is declared twice", hint: "Give one of them another kind.")
    }
    if let owner = sections[kind], owner != kind {
      throw refused(
        kind, "its kind is the name of a section of \(owner)", hint: "Choose another kind.")
    }
  }

  private mutating func checkSections(_ collection: CollectionSchema) throws(EventLogError) {
    let kind = collection.kind
    for section in [collection.section] + [collection.presentation.daySection?.section] {
      guard let section else { continue }
      guard Self.isName(section) else {
        throw refused(
          kind, "its section must be 1 to 64 characters of A-Z a-z 0-9 . _ -",
          hint: "Use a section such as shoppingLists.")
      }
      guard !SchemaCatalog.reservedSections.contains(section) else {
        throw refused(
          kind, "the section \"\(section)\" is reserved", hint: "Choose another section.")
      }
      if let owner = sections[section] {
        let reason = owner == kind ? "is declared twice" : "belongs to \(owner)"
        throw refused(
          kind, "the section \"\(section)\" \(reason)", hint: "Choose another section.")
      }
      if kinds.contains(section), section != kind {
        throw refused(
          kind, "the section \"\(section)\" is the name of another kind",
          hint: "Choose another section.")
      }
      sections[section] = kind
    }
  }

  private func checkFields(_ collection: CollectionSchema) throws(EventLogError) {
    let kind = collection.kind
    if collection.isSingleton, collection.hasDays {
      throw refused(kind, "a singleton has no days", hint: "Days belong to entities.")
    }
    var names: Set<String> = []
    for field in collection.fields + collection.dayFields {
      guard Self.isName(field.name) else {
        throw refused(
          kind,
          "a field's name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, but \"\(field.name)\""
            + " is not", hint: "Use a name such as \"servings\".")
      }
      guard names.insert(field.name).inserted else {
        let isOfBoth =
          collection.field(field.name) != nil
          && collection.field(field.name, ofDay: true) != nil
        throw refused(
          kind,
          "the field \"\(field.name)\" is declared "
            + (isOfBoth ? "for the entity and for its days" : "twice"),
          hint: "Remove one of the two, or give it another name.")
      }
      guard field.takesCases else {
        throw refused(
          kind, "the field \"\(field.name)\" has cases, but is not text",
          hint: "Cases are for text, list of text and members.")
      }
      if field.isDated {
        guard field.mechanism.isRegister, collection.field(field.name, ofDay: true) == nil else {
          throw refused(
            kind, "the field \"\(field.name)\" is dated, but is not a register of the entity",
            hint: "Leave out \"dated\": a day's field has a value for each day anyway.")
        }
      }
      var rule = field.memberRule
      if case .register(let ofRegister) = field.mechanism { rule = ofRegister }
      if rule.isSpellable, field.memberRule.acceptsSomeText { continue }
      throw refused(
        kind, "the field \"\(field.name)\" has a rule that cannot be declared",
        hint: "Use a rule that ValueRule(spelling:) can read, such as \"integer 1...10\".")
    }
    var reserved: Set<String> =
      collection.fields.contains(where: \.isDated) ? [CollectionSchema.fromMember] : []
    if !collection.isSingleton {
      reserved.formUnion(collection.presentation.reservedNames(dayFields: collection.dayFields))
    }
    for field in collection.fields where reserved.contains(field.name) {
      throw refused(
        kind, "\"\(field.name)\" is a reserved name and cannot be a field",
        hint: "Reserved names are \(reserved.sorted().joined(separator: ", ")).")
    }
  }

  /// Whether a text is a valid name of a field, section or member, which can be typed anywhere.
  static func isName(_ text: String) -> Bool { DeviceID(text) != nil }
}

extension FieldSchema {
  /// Whether a field can have the cases that it declares.
  var takesCases: Bool {
    cases.isEmpty || [.register(.text), .register(.list(of: .text)), .members].contains(mechanism)
  }
}

extension EventLogError {
  /// The error for an invalid declaration, whose `kind` may be invalid, too.
  static func refusedSchema(_ kind: String, _ reason: String, hint: String? = nil) -> EventLogError
  {
    EventLogError(
      .invalidSchema, "The collection \"\(kind)\" cannot be used: \(reason).", hint: hint)
  }
}
