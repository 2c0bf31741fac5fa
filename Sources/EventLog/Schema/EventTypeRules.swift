/// The declarations that apply to an event type, and what follows from them for each append.
///
/// It is a class, because it is looked up for every appended event, and copying a declaration would
/// retain each of its parts.
final class EventTypeRules: Sendable {
  let collection: CollectionSchema
  let event: EventSchema
  /// The index of the collection in its catalog.
  let collectionIndex: Int
  /// Whether its events can state the day from which their dated fields apply.
  let takesFrom: Bool
  /// See ``CollectionSchema/datedNames(of:)``.
  private let datedNames: [String]?
  /// The registers without conditions: an event may write each value that fits its rule.
  private let registers: [(name: String, rule: ValueRule)]
  /// The names with conditions, or nil if events take no undeclared fields.
  private let conditionalNames: Set<String>?

  init(_ collection: CollectionSchema, _ event: EventSchema, collectionIndex: Int) {
    self.collection = collection
    self.event = event
    self.collectionIndex = collectionIndex
    takesFrom = collection.takesFrom(event)
    datedNames = collection.datedNames(of: event)
    registers = collection.registersByName(of: event)
    let takesAny = event.writesFields && collection.takesFurtherFields
    conditionalNames = takesAny ? collection.declaredNames(and: event) : nil
  }

  /// Whether an event with this data writes a dated field.
  func writesDatedField(_ data: JSONObject) -> Bool {
    datedNames?.contains { data[$0] != nil } ?? true
  }

  /// Whether events may contain a member, whatever else they contain. If false, it isn't known.
  func certainlyTakes(_ member: JSONObject.Member) -> Bool {
    if let register = registers.first(where: { $0.name.hasBytes(of: member.name) }) {
      return register.rule.accepts(member.value)
    }
    return conditionalNames.map { !$0.contains(member.name) } ?? false
  }
}

extension CollectionSchema {
  /// The fields that events of a type write by name, without those for which an earlier name
  /// matters.
  fileprivate func registersByName(of event: EventSchema) -> [(name: String, rule: ValueRule)] {
    if !event.writesFields { return [] }
    return fields.compactMap { field in
      guard case .register(let rule) = field.mechanism, event.member(field.name) == nil,
        !reservedNames.contains(field.name), !hasEarlierName(field.name)
      else { return nil }
      return (field.name, rule)
    }
  }

  /// All names that the collection or an event type gives a meaning.
  fileprivate func declaredNames(and event: EventSchema) -> Set<String> {
    reservedNames.union(event.members.map(\.name)).union([Self.fromMember])
      .union((fields + dayFields).flatMap(\.names))
  }
}
