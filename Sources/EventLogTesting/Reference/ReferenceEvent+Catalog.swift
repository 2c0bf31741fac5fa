package import EventLog

extension ReferenceEvent {
  /// An event of a journal, with what it does by the declarations of a catalog, read slowly.
  package init(_ event: Event, clock: [DeviceID: Int64], _ catalog: SchemaCatalog) {
    self.init(
      id: event.id, at: event.at ?? Timestamp("1970-01-01T00:00:00Z")!, type: event.type,
      entity: event.entity, data: event.data, version: event.version, clock: clock,
      was: event.was)
    effects = Self.effects(of: event, catalog)
  }

  private static func effects(
    of event: Event, _ catalog: SchemaCatalog
  ) -> [ReferenceEffect]? {
    guard event.version == 1 else { return nil }
    for collection in catalog.collections {
      guard let schema = collection.events.first(where: { $0.type == event.type }) else { continue }
      let isAbout = collection.isSingleton ? nil : collection.kind
      guard event.entity?.kind == isAbout else { return nil }
      return effects(of: event, schema, collection)
    }
    return nil
  }

  private static func effects(
    of event: Event, _ schema: EventSchema, _ collection: CollectionSchema
  ) -> [ReferenceEffect] {
    let entity = event.entity?.description ?? collection.kind
    var effects: [ReferenceEffect] = []
    var day: String?
    var key: String?
    for member in schema.members {
      guard case .string(let text)? = event.data[member.name] else { continue }
      if member.role == .day { day = "\(entity)@\(text)" }
      if member.role == .key { key = text }
    }
    if let day { effects.append(.day(day)) }
    func place(_ field: String) -> String {
      collection.field(field, ofDay: true) != nil ? day ?? entity : entity
    }
    if let key { effects.append(.set(place: place(key), field: key)) }
    for member in event.data.members {
      guard let role = schema.member(member.name)?.role else {
        if schema.writesFields {
          effects.append(.register(place: entity, field: member.name, member.value))
        }
        continue
      }
      let number = ReferenceValue.integer(member.value)
      switch role {
      case .day, .key: break
      case .write(let field):
        effects.append(.register(place: place(field), field: field, member.value))
      case .set(let field):
        if let number { effects.append(.total(place: place(field), field: field, number)) }
      case .advance(let field):
        if let number { effects.append(.increment(place: place(field), field: field, number)) }
      case .include, .exclude:
        guard case .array(let values) = member.value, let key else { continue }
        for text in values.compactMap(ReferenceValue.string) {
          effects.append(
            role == .include
              ? .include(place: place(key), field: key, text)
              : .exclude(place: place(key), field: key, text))
        }
      }
    }
    for assignment in schema.assigns {
      effects.append(.register(place: entity, field: assignment.field, assignment.value))
    }
    if schema.lifecycle == .deletes { effects.append(.deletion) }
    if schema.lifecycle == .restores { effects.append(.restoration) }
    return effects
  }
}

extension Reference {
  /// What the events of a journal come to, by brute force.
  package init(_ events: [Event], _ catalog: SchemaCatalog) {
    var clocks: [DeviceID: [DeviceID: Int64]] = [:]
    var all: [ReferenceEvent] = []
    for event in events {
      var clock = clocks[event.id.device] ?? [:]
      for (device, sequence) in event.seen.entries { clock[device] = sequence }
      clock[event.id.device] = event.id.sequence
      clocks[event.id.device] = clock
      all.append(ReferenceEvent(event, clock: clock, catalog))
    }
    self.init(all)
  }
}
