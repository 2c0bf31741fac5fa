extension Fold {
  /// The writes that an event would replace and that `isSeen` does not hold, were it applied now.
  ///
  /// A register write replaces live values that differ from its own; a counter's set replaces sets
  /// and absorbs increments; an exclusion takes out inclusions; a deletion hides what was done to
  /// its entity, a restoration undoes deletions.
  mutating func replacements(
    by layout: LineLayout, _ canonical: Span<UInt8>, _ ledger: Ledger, isSeen: (Dot) -> Bool
  ) -> [UnseenWrite] {
    let entity =
      layout.entity.isEmpty
      ? -1 : entityNames.find(canonical, layout.entity).map { Int32($0) } ?? -1
    if !layout.entity.isEmpty, entity < 0 { return [] }
    guard let type = plan(layout, canonical, entity: entity) else { return [] }
    var found: [UnseenWrite] = []
    func add(_ row: Int32, _ field: String, _ dot: Dot, _ value: JSONValue?) {
      guard !isSeen(dot) else { return }
      let place = rows[Int(row)]
      let collection =
        place.entity < 0 ? Int(row) : Int(entities[Int(place.entity)].collection)
      found.append(
        UnseenWrite(
          entity: placeText(entity: place.entity, day: place.day, of: collection), field: field,
          event: dot.id(ledger), value: value))
    }
    if entity >= 0, entities[Int(entity)].row >= 0 {
      let row = entities[Int(entity)].row
      switch compiled.types[type].lifecycle {
      case .deletes:
        for touch in presences.liveTouches(entity) {
          add(row, "presence", touch.dot, .string(typeNames.text(Int(touch.type))))
        }
      case .restores:
        for deletion in presences.liveDeletions(entity) {
          add(row, "presence", deletion.touch.dot, "deleted")
        }
      case .none, .begins: break
      }
    }
    let row = plannedRow(type, entity: entity)
    guard row >= 0 else { return found }
    func addRegister(_ field: Int32, _ value: JSONValue) {
      let cell = findRegister(row, field)
      guard cell >= 0 else { return }
      for live in registers.liveValues(Int(cell)) {
        let other = JSONValue(canonical: registers.bytes(live))
        if other != value { add(row, fieldText(field), live.dot, other) }
      }
    }
    for step in steps {
      let value = layout.members[Int(step.member)].value
      switch step.action {
      case .ignore, .day, .key, .advance, .include: break
      case .write: addRegister(step.field, JSONValue(canonical: canonical.copy(value)[...]))
      case .set:
        guard let cell = findCounter(row, step.field) else { break }
        let shown = JSONValue.number(JSONNumber(counters.shown(Int(cell), ledger)))
        for dot in counters.liveDots(Int(cell)) { add(row, fieldText(step.field), dot, shown) }
      case .exclude:
        guard let field = plannedSetField(layout, canonical), let cell = findSet(row, field),
          let members = Self.texts(canonical, layout.members[Int(step.member)])
        else { break }
        for member in members {
          for dot in sets.inclusions(of: member, in: Int(cell)) {
            add(row, fieldText(field), dot, .string(member))
          }
        }
      }
    }
    for (field, value) in compiled.types[type].assigns {
      addRegister(field, JSONValue(canonical: value[...]))
    }
    return found
  }

  /// The counter of a field, if anything was written to it.
  func findCounter(_ row: Int32, _ field: Int32) -> Int32? {
    var cell = rows[Int(row)].firstCounter
    while cell >= 0, counters.cells[Int(cell)].field != field {
      cell = counters.cells[Int(cell)].next
    }
    return cell < 0 ? nil : cell
  }
}
