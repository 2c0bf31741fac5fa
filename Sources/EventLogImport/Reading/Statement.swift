import EventLog

/// What a source says of one field.
struct Statement: Sendable {
  /// What a field is to be, by its mechanism.
  enum Value: Sendable {
    case write(JSONValue)
    case count(Int64)
    case members([String])
  }

  /// What is spoken of.
  struct Target: Sendable, Hashable {
    var kind: String
    var entity: EntityID?
    var day: Day?
    /// What tells keys of one singleton apart; empty for rows.
    var key: String
  }

  var target: Target
  var field: String
  var value: Value
  /// What the field is before anybody has written it.
  var initial: JSONValue?
  var at: Timestamp?
  /// Where it stands, for a person.
  var location: String
}

extension Statement.Value {
  /// Whether it says nothing of a field.
  var isNothing: Bool {
    switch self {
    case .write(let value): value == .null
    case .count(let count): count == 0
    case .members(let members): members.isEmpty
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

/// What all stores of a source say, and what was noticed on the way.
struct SourceContent: Sendable {
  /// By store, in the order of the map.
  var stores: [(name: String, statements: [Statement])] = []
  /// How many values were read for this user.
  var valueCount = 0
  /// The keys whose values are this user's and were read.
  var keys: [String] = []
  /// How many values belong to somebody else; nil: to a guest.
  private(set) var others: [(user: String?, count: Int)] = []
  private var otherPlaces: [String?: Int] = [:]
  /// Keys, columns and files that the map does not speak of.
  var unknown: [String] = []
  /// What was not taken as it stands.
  var remarks: [String] = []

  mutating func addOther(_ user: String?) {
    let place = otherPlaces[user, default: others.count]
    if place == others.count {
      otherPlaces[user] = place
      others.append((user, 0))
    }
    others[place].count += 1
  }
}
