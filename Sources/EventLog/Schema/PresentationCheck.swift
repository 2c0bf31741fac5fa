/// Finds mistakes in the presentation of a collection.
struct PresentationCheck {
  let collection: CollectionSchema

  private func refused(_ reason: String) -> EventLogError {
    .refusedSchema(collection.kind, "its presentation \(reason)")
  }

  /// Throws `invalidSchema` with the first mistake.
  func check() throws(EventLogError) {
    let presentation = collection.presentation
    var names: Set<String> = []
    for value in presentation.defaults {
      guard case .register(let rule)? = collection.field(value.field)?.mechanism,
        rule.accepts(value.value), names.insert(value.field).inserted
      else {
        throw refused(
          "has a default for \"\(value.field)\", but that is not a register, does not take this"
            + " value, or has two")
      }
    }
    if collection.isSingleton, presentation != Presentation() {
      throw refused("is for entities, but there is only one \(collection.kind)")
    }
    if let days = presentation.daySection { return try check(days) }
    if presentation.isFlat, collection.hasDays, collection.field("days") != nil {
      throw refused("uses the name \"days\" for a field and for the days")
    }
  }

  private func check(_ days: Presentation.DaySection) throws(EventLogError) {
    guard SchemaCheck.isName(days.entityMember) else {
      throw refused("names the entity with characters other than A-Z a-z 0-9 . _ -")
    }
    guard collection.field(days.progressField, ofDay: true)?.mechanism == .counter else {
      throw refused("compares \"\(days.progressField)\", which is not a counter of a day")
    }
    let ofEntity = [days.goalField, days.scheduleField, days.targetField, days.periodField]
    for name in ofEntity.compactMap(\.self) {
      guard case .register? = collection.field(name)?.mechanism else {
        throw refused("uses \"\(name)\", which is not a register of the entity")
      }
    }
    if let name = days.skipField {
      guard case .register? = collection.field(name, ofDay: true)?.mechanism else {
        throw refused("uses \"\(name)\", which is not a register of a day")
      }
    }
    var names: Set<String> = ["completed", "contested", "date", "unreadable"]
    for name in [days.entityMember] + collection.dayFields.map(\.name) {
      guard names.insert(name).inserted else {
        throw refused("has two things named \"\(name)\" in a day")
      }
    }
  }
}
