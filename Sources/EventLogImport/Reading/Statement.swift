import EventLog

/// The value of a field in a source.
struct Statement: Sendable {
  /// The new value, depending on the field's mechanism.
  enum Value: Sendable {
    case write(JSONValue)
    /// The total of a counter, or nil if none was recorded.
    case count(Amount?)
    case members([String])
  }

  /// The entity, day or singleton of the field.
  struct Target: Sendable, Hashable {
    var kind: String
    var entity: EntityID?
    var day: Day?
    /// The key's name, for singletons; empty for rows.
    var key: String
  }

  /// One of several rows with the same key, which are told apart by their values.
  struct Twin: Sendable {
    /// The number of the row in the source, from 1.
    var number: Int
    /// The names of the fields that tell the rows apart, and ``TableMap/firstDay``; empty if each
    /// row is a thing of its own.
    var traits: [String]
    /// The day of the row, if only rows of one day with the same key are told apart.
    var day: Day?
  }

  var target: Target
  var field: String
  var value: Value
  /// The value that readers assume for an unwritten field.
  var initial: JSONValue?
  var at: Timestamp?
  /// The position in the source, for errors.
  var location: SourceLocation
  /// The rule for several rows that have this field.
  var several: FieldSource.Several?
  /// The number before it was rounded, with the field of the entity that has it; null clears it.
  var exact: (field: String, value: JSONValue)?
  /// Whether the row is about this field's target alone, so that nothing is left of it without the
  /// field.
  var isOfRow = false
  var twin: Twin?
  /// Whether the value is written even if the source had stated the same before.
  ///
  /// The members of a set are then removed.
  var isForced = false

  /// The statement about the field that has the exact number, or nil if there is none.
  var ofExact: Statement? {
    exact.map { name, value in
      var statement = Statement(
        target: .init(kind: target.kind, entity: target.entity, day: nil, key: ""), field: name,
        value: .write(value), at: at, location: location)
      statement.twin = twin
      return statement
    }
  }
}

extension Statement.Value {
  /// Whether the value is the same as that of an unwritten field.
  var isNothing: Bool {
    switch self {
    case .write(let value): value == .null
    case .count(let count): count == nil
    case .members(let members): members.isEmpty
    }
  }

  /// The value as JSON; null if there is none.
  var json: JSONValue {
    switch self {
    case .write(let value): value
    case .count(let count): count.map { .number($0.number) } ?? .null
    case .members(let members): members.isEmpty ? .null : .array(members.map { .string($0) })
    }
  }

  func isSame(as other: Statement.Value) -> Bool {
    switch (self, other) {
    case (.write(let left), .write(let right)): left == right
    case (.count(let left), .count(let right)): left == right
    case (.members(let left), .members(let right)): Set(left) == Set(right)
    default: false
    }
  }
}

/// The statements of all stores of a source, and findings of the reading.
struct SourceContent: Sendable {
  /// One element per store, in the order of the map.
  var stores: [(name: String, statements: [Statement])] = []
  /// The number of values read for this user.
  var valueCount = 0
  /// The keys read for this user.
  var keys: [String] = []
  /// The number of values that belong to other users, or to a guest if nil.
  private(set) var others: [(user: String?, count: Int)] = []
  private var otherIndexes: [String?: Int] = [:]
  /// The keys, columns and files that the map doesn't mention.
  var unknown: [String] = []
  /// The names that the map ignores only because it ignores all.
  private var ignored: [String] = []
  /// Sentences about skipped or changed values.
  var remarks: [String] = []
  /// Sentences about what was found out about the source.
  var findings: [String] = []

  /// Records a name that the map doesn't use, as unknown or as ignored.
  ///
  /// - Parameters:
  ///   - description: What is reported, such as a file with one of its columns.
  ///   - map: The map, whose patterns may ignore the name.
  mutating func addUnused(_ name: String, as description: String, _ map: ImportMap) {
    let matching = map.ignored.filter { $0.matches(name) }
    if matching.isEmpty { return unknown.append(description) }
    // A map that names it, or its form, means it.
    if matching.allSatisfy(\.matchesAll) { ignored.append(description) }
  }

  /// Adds a sentence about the names that the map ignores without naming them.
  mutating func noteIgnored() {
    if ignored.isEmpty { return }
    findings.append("The map ignores all that it doesn't name: \(ignored.firstFew).")
  }

  mutating func addOther(_ user: String?) {
    let index = otherIndexes[user, default: others.count]
    if index == others.count {
      otherIndexes[user] = index
      others.append((user, 0))
    }
    others[index].count += 1
  }
}
