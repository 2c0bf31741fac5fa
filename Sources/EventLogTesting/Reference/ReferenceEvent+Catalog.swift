package import EventLog

extension ReferenceLine {
  /// Returns the effects of the event according to a catalog.
  ///
  /// The event is assumed to follow the rules of its type.
  package func effects(_ catalog: SchemaCatalog) -> [ReferenceEffect]? {
    guard version == 1 else { return nil }
    for collection in catalog.collections {
      guard let schema = collection.events.first(where: { $0.type == type }) else { continue }
      guard entity?.kind == (collection.isSingleton ? nil : collection.kind) else { return nil }
      return effects(schema, collection)
    }
    return nil
  }

  private func effects(
    _ schema: EventSchema, _ collection: CollectionSchema
  ) -> [ReferenceEffect] {
    let entity = self.entity?.description ?? collection.kind
    var effects: [ReferenceEffect] = []
    var day: String?
    var key: String?
    for member in schema.members {
      guard case .string(let text)? = data[member.name] else { continue }
      if member.role == .day { day = "\(entity)@\(text)" }
      if member.role == .key { key = text }
    }
    if let day { effects.append(.day(day)) }
    func row(_ field: String) -> String {
      collection.isOfDay(named: field) ? day ?? entity : entity
    }
    if let key { effects.append(.set(row: row(key), field: key)) }
    let hasDated = collection.fields.contains(where: \.isDated)
    var from = ""
    if hasDated, schema.lifecycle != .begins {
      from = data["from"].flatMap(ReferenceValue.string) ?? ""
    }
    var registers = ReferenceRegisters(collection)
    for member in data.members {
      guard let role = schema.member(member.name)?.role else {
        let own = schema.members.first {
          collection.isEarlier(member.name, of: $0.name) && $0.role == .write(field: $0.name)
        }
        if let own {
          registers.write(member.name, in: row(own.name), member.value)
        } else if schema.writesFields, !(hasDated && member.name == "from") {
          registers.write(member.name, in: entity, member.value)
        }
        continue
      }
      switch role {
      case .day, .key: break
      case .write(let field):
        registers.write(field, in: row(field), member.value)
      case .set(let field):
        effects.append(.total(row: row(field), field: field, member.value))
      case .advance(let field):
        effects.append(.increment(row: row(field), field: field, member.value))
      case .include, .exclude:
        guard case .array(let values) = member.value, let key else { continue }
        for text in values.compactMap(ReferenceValue.string) {
          effects.append(
            role == .include
              ? .include(row: row(key), field: key, text)
              : .exclude(row: row(key), field: key, text))
        }
      }
    }
    for assignment in schema.assigns {
      registers.write(assignment.field, in: entity, assignment.value)
    }
    effects += registers.effects(from: from)
    if schema.lifecycle == .deletes { effects.append(.deletion) }
    if schema.lifecycle == .restores { effects.append(.restoration) }
    return effects
  }
}

extension Reference {
  /// Creates the projection of a journal's lines.
  ///
  /// - Parameters:
  ///   - lines: The lines in any order, with or without their LF. Invalid lines are ignored.
  ///   - user: The user that is given for the journal.
  ///   - device: The device of the copy that contains the lines.
  package init(
    lines: some Sequence<[UInt8]>, user: String? = nil, device: DeviceID? = nil,
    _ catalog: SchemaCatalog
  ) {
    let histories = ReferenceHistories(
      lines.compactMap { ReferenceLine($0) }, user: user, device: device)
    self.init(histories) { $0.line.effects(catalog) }
  }

  /// Creates the projection of a journal's events.
  package init(_ events: [Event], user: String? = nil, _ catalog: SchemaCatalog) {
    self.init(ReferenceHistories(events.map { ReferenceLine($0) }, user: user)) {
      $0.line.effects(catalog)
    }
  }
}
