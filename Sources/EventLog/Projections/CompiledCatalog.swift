/// A catalog compiled for the fold: names are small integers, and the role of a member is one table
/// lookup.
package struct CompiledCatalog: Sendable {
  /// The effect of one member of an event's data.
  package struct Role: Sendable {
    package enum Action: UInt8, Sendable {
      case ignore, day, from, write, set, advance, key, include, exclude
    }

    /// Whether members belong to the entity or to a day, and whether there is a date.
    struct Level: OptionSet, Sendable {
      let rawValue: UInt8
      static let entity = Level(rawValue: 1)
      static let ofDay = Level(rawValue: 2)
      static let date = Level(rawValue: 4)
    }

    var action = Action.ignore
    var level: Level = []
    /// The field that is written, or −1 if the member's own name is the field.
    var field: Int32 = -1
    /// A register's rule: an index into `rules`.
    var rule = CompiledCatalog.anyRule
    /// Whether the written register is dated.
    var isDated = false
    /// For a name of a field with earlier names: an index into `chains`, or −1.
    var chain: Int32 = -1
    /// The member's bit in ``EventType/required``, or 0 if it is optional.
    var required: UInt32 = 0
  }

  /// One event type.
  package struct EventType: Sendable {
    package internal(set) var collection: Int
    var isSingleton: Bool
    var required: UInt32
    /// Whether the levels of its members must be checked, besides each value.
    var needsLevels: Bool
    var needsChange: Bool
    package internal(set) var lifecycle: EventSchema.Lifecycle
    package internal(set) var assigns: [(field: Int32, isDated: Bool, value: [UInt8])]
    var hasAssigns: Bool
    /// The role of members with undeclared names.
    var furtherRole: Role
  }

  /// A field that shows the writes of a name.
  struct Reader: Sendable {
    var field: Int32
    var rank: WriteRank
    var rule: ValueRule
    var isDated: Bool
    let schema: FieldReader
  }

  private let collections: [CollectionSchema]
  package private(set) var types: [EventType] = []
  /// The number of the store's own types. They come first and change no field.
  let storeTypeCount = SchemaCatalog.storeTypes.count
  /// The number of known types. Their names come first in the interner.
  var knownTypeCount: Int { storeTypeCount + types.count }
  /// The number of declared field names. They come first in the interner.
  private(set) var declaredCount = 0
  private var roles: [Role] = []
  /// The level of a set, by collection and declared name; empty if the name can't be a set's.
  private var keyLevels: [Role.Level] = []
  /// The rules of registers; the first is `any`.
  private(set) var rules: [ValueRule] = [.any]
  static let anyRule: Int32 = 0
  /// The readers of the names of fields with earlier names.
  private(set) var chains: [[Reader]] = []
  private var kinds: [String: Int] = [:]

  init(
    _ collections: [CollectionSchema], typeNames: inout ByteInterner,
    fieldNames: inout ByteInterner
  ) {
    self.collections = collections
    for name in SchemaCatalog.storeTypes { _ = typeNames.intern(name) }
    for collection in collections {
      for field in collection.fields + collection.dayFields {
        for name in field.names { _ = fieldNames.intern(name) }
      }
      for event in collection.events {
        for member in event.members { _ = fieldNames.intern(member.name) }
      }
    }
    for collection in collections {
      for name in collection.reservedNames.sorted() { _ = fieldNames.intern(name) }
    }
    declaredCount = fieldNames.count
    for (collectionIndex, collection) in collections.enumerated() {
      kinds[collection.kind] = collectionIndex
      addKeys(of: collection, at: collectionIndex, fieldNames)
      for event in collection.events {
        _ = typeNames.intern(event.type)
        add(event, of: collection, at: collectionIndex, fieldNames)
      }
    }
  }

  /// The type whose name has the number `name`, or nil if it is undeclared or the store's own.
  @inline(__always)
  package func type(named name: Int) -> Int? {
    let type = name &- storeTypeCount
    return type >= 0 && type < types.count ? type : nil
  }

  /// The role of the member named `field` in events of type `type`.
  @inline(__always)
  func role(_ field: Int, in type: Int) -> Role {
    field < declaredCount
      ? roles[type &* declaredCount &+ field] : types[type].furtherRole
  }

  /// The level of the set named `field`, for events of type `type`; empty if it isn't a set's name.
  ///
  /// - Parameter field: The number of the name, or nil if the name was never read.
  func keyLevel(_ field: Int?, in type: Int) -> Role.Level {
    let collection = types[type].collection
    guard let field, field < declaredCount else { return furtherKeys(collection) }
    return keyLevels[collection * declaredCount + field]
  }

  private func furtherKeys(_ collection: Int) -> Role.Level {
    let schema = collections[collection]
    return schema.isSingleton && schema.takesFurtherFields ? .entity : []
  }

  private mutating func addKeys(
    of collection: CollectionSchema, at collectionIndex: Int, _ fieldNames: ByteInterner
  ) {
    let further = furtherKeys(collectionIndex)
    var levels = [Role.Level](repeating: further, count: declaredCount)
    for (fields, level) in [(collection.fields, Role.Level.entity), (collection.dayFields, .ofDay)]
    {
      for field in fields {
        levels[fieldNames.find(field.name)!] = field.mechanism == .members ? level : []
        for earlier in field.supersedes { levels[fieldNames.find(earlier.name)!] = [] }
      }
    }
    keyLevels += levels
  }

  func collection(ofKind kind: String) -> Int { kinds[kind] ?? -1 }

  private mutating func add(
    _ event: EventSchema, of collection: CollectionSchema, at collectionIndex: Int,
    _ fieldNames: ByteInterner
  ) {
    var table = [Role](repeating: Role(), count: declaredCount)
    var further = Role()
    further.level = .entity
    if event.writesFields {
      if collection.takesFurtherFields { further.action = .write }
      for field in 0..<declaredCount { table[field] = further }
      for field in collection.fields {
        // Counters and sets aren't written by name. Members with other roles change them.
        var role = Role()
        if case .register(let rule) = field.mechanism {
          role.action = .write
          role.level = .entity
          role.rule = number(of: rule)
          role.isDated = field.isDated
        }
        role.chain = chain(of: field.name, ofDay: false, in: collection, fieldNames)
        table[fieldNames.find(field.name)!] = role
        for earlier in field.supersedes {
          role.chain = chain(of: earlier.name, ofDay: false, in: collection, fieldNames)
          table[fieldNames.find(earlier.name)!] = role
        }
      }
      for name in collection.reservedNames { table[fieldNames.find(name)!] = Role() }
    }
    if collection.takesFrom(event) {
      table[fieldNames.find(CollectionSchema.fromMember)!].action = .from
    }
    var required: UInt32 = 0
    for member in event.members {
      var role = role(of: member, in: collection, fieldNames)
      if member.isRequired {
        role.required = required &+ 1
        required |= role.required
      }
      table[fieldNames.find(member.name)!] = role
      // A field that is written by its own name is also written by its earlier ones.
      guard case .write(let name) = member.role, name == member.name else { continue }
      let isOfDay = collection.isOfDay(name)
      for earlier in collection.field(name, ofDay: isOfDay)?.supersedes ?? []
      where event.member(earlier.name) == nil {
        role.chain = chain(of: earlier.name, ofDay: isOfDay, in: collection, fieldNames)
        table[fieldNames.find(earlier.name)!] = role
      }
    }
    roles += table
    types.append(
      EventType(
        collection: collectionIndex, isSingleton: collection.isSingleton, required: required,
        needsLevels: event.needsChange
          || event.members.contains { $0.role == .key || $0.role == .day && !$0.isRequired },
        needsChange: event.needsChange,
        lifecycle: event.lifecycle,
        assigns: event.assigns.map {
          (
            Int32(fieldNames.find($0.field)!), collection.field($0.field)?.isDated ?? false,
            Array($0.value.text.utf8)
          )
        },
        hasAssigns: !event.assigns.isEmpty,
        furtherRole: further))
  }

  /// Adds the readers of a name, unless it is that of a field without earlier names. Returns their
  /// index in `chains`, or −1.
  private mutating func chain(
    of name: String, ofDay isOfDay: Bool, in collection: CollectionSchema,
    _ fieldNames: ByteInterner
  ) -> Int32 {
    let readers = collection.readers(of: name, ofDay: isOfDay)
    if readers.allSatisfy(\.field.supersedes.isEmpty) { return -1 }
    chains.append(
      readers.map { reader in
        var rule = ValueRule.any
        if case .register(let declared) = reader.field.mechanism { rule = declared }
        return Reader(
          field: Int32(fieldNames.find(reader.field.name)!), rank: WriteRank(reader), rule: rule,
          isDated: reader.field.isDated, schema: reader)
      })
    return Int32(chains.count - 1)
  }

  private mutating func number(of rule: ValueRule) -> Int32 {
    if let known = rules.firstIndex(of: rule) { return Int32(known) }
    rules.append(rule)
    return Int32(rules.count - 1)
  }

  private mutating func role(
    of member: MemberSchema, in collection: CollectionSchema, _ fieldNames: ByteInterner
  ) -> Role {
    var role = Role()
    role.level = level(of: member, in: collection)
    switch member.role {
    case .day: role.action = .day
    case .key: role.action = .key
    case .include: role.action = .include
    case .exclude: role.action = .exclude
    case .set(let field):
      role.action = .set
      role.field = Int32(fieldNames.find(field)!)
    case .advance(let field):
      role.action = .advance
      role.field = Int32(fieldNames.find(field)!)
    case .write(let field):
      role.action = .write
      role.field = Int32(fieldNames.find(field)!)
      let isOfDay = collection.isOfDay(field)
      role.chain = chain(of: field, ofDay: isOfDay, in: collection, fieldNames)
      let declared = collection.field(field, ofDay: isOfDay)
      if case .register(let rule)? = declared?.mechanism { role.rule = number(of: rule) }
      role.isDated = declared?.isDated ?? false
    }
    return role
  }

  /// The level of a member. The level of a key depends on its value.
  private func level(of member: MemberSchema, in collection: CollectionSchema) -> Role.Level {
    switch member.role {
    case .day: return .date
    case .key, .include, .exclude: return []
    case .set(let field), .advance(let field), .write(let field):
      return collection.isOfDay(field) ? .ofDay : .entity
    }
  }
}

/// A compiled catalog and its interned names, from which folds start.
struct CompiledNames: Sendable {
  let compiled: CompiledCatalog
  private(set) var typeNames = ByteInterner()
  private(set) var fieldNames = ByteInterner()

  init(_ collections: [CollectionSchema]) {
    compiled = CompiledCatalog(collections, typeNames: &typeNames, fieldNames: &fieldNames)
  }
}
