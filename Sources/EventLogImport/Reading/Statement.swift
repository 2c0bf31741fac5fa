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

  /// The members that the statements of a row about one target share.
  ///
  /// A large source has many statements, so these are stored once.
  final class Row: Sendable {
    let target: Target
    let at: Timestamp?
    /// The position in the source, for errors.
    let location: SourceLocation
    let twin: Twin?

    init(_ target: Target, at: Timestamp? = nil, _ location: SourceLocation, twin: Twin? = nil) {
      (self.target, self.at, self.location, self.twin) = (target, at, location, twin)
    }
  }

  /// The members that the statements of a column share.
  final class Column: Sendable {
    let field: String
    /// The value that readers assume for an unwritten field.
    let initial: JSONValue?
    /// The rule for several rows that have the field.
    let several: FieldSource.Several?
    /// Whether each row is about this field's target alone, so that nothing is left of it without
    /// the field.
    let isOfRow: Bool
    /// Whether all rows with the same key have the same value.
    let isOfKey: Bool

    init(
      _ field: String, initial: JSONValue? = nil, several: FieldSource.Several? = nil,
      isOfRow: Bool = false, isOfKey: Bool = false
    ) {
      (self.field, self.initial, self.several) = (field, initial, several)
      (self.isOfRow, self.isOfKey) = (isOfRow, isOfKey)
    }
  }

  /// A number before it was rounded, for another field of the entity; null clears the field.
  final class Exact: Sendable {
    let field: String
    let value: JSONValue

    init(_ field: String, _ value: JSONValue) { (self.field, self.value) = (field, value) }
  }

  var row: Row
  let column: Column
  var value: Value
  var exact: Exact?
  /// Whether the value is written even if the source had stated the same before.
  ///
  /// The members of a set are then removed.
  var isForced = false

  init(_ row: Row, _ column: Column, _ value: Value) {
    (self.row, self.column, self.value) = (row, column, value)
  }

  var target: Target { row.target }
  var field: String { column.field }
  var at: Timestamp? { row.at }
  var location: SourceLocation { row.location }
  var twin: Twin? { row.twin }

  /// The statement about the field that has the exact number, or nil if there is none.
  var ofExact: Statement? {
    exact.map { exact in
      let target = Target(kind: target.kind, entity: target.entity, day: nil, key: "")
      return Statement(
        Row(target, at: at, location, twin: twin), Column(exact.field), .write(exact.value))
    }
  }
}

/// Gives rows other entities.
struct EntityAssignment {
  private var last: (old: Statement.Row, new: Statement.Row)?

  /// Assigns an entity to the row of a statement; consecutive statements share the new row.
  mutating func assign(_ entity: EntityID, to statement: inout Statement) {
    let old = statement.row
    if old.target.entity == entity { return }
    if let last, last.old === old {
      statement.row = last.new
      return
    }
    var target = old.target
    target.entity = entity
    let new = Statement.Row(target, at: old.at, old.location, twin: old.twin)
    last = (old, new)
    statement.row = new
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
