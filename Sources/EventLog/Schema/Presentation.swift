/// How a collection's entities are shown in a projection.
package struct Presentation: Sendable, Hashable {
  /// Whether the fields stand beside `id` instead of within `fields`.
  package var isFlat: Bool
  /// Fields that are shown with these values where nothing was written.
  package var defaults: [EventSchema.Assignment]
  /// Where the days are shown; nil: within their entity.
  package var daySection: DaySection?

  package init(
    isFlat: Bool = false, defaults: [EventSchema.Assignment] = [], daySection: DaySection? = nil
  ) {
    self.isFlat = isFlat
    self.defaults = defaults
    self.daySection = daySection
  }

  /// A section of its own for the days of all entities.
  package struct DaySection: Sendable, Hashable {
    /// Its name.
    package var section: String
    /// The member that holds the entity's key.
    package var entityMember: String
    /// The day's counter that is compared with the goal.
    package var progressField: String
    /// The entity's field that holds the goal; 1 where it has no value.
    package var goalField: String
    /// The entity's field that holds the ``Schedule``; every day where it has no value.
    package var scheduleField: String

    package init(
      section: String, entityMember: String, progressField: String, goalField: String,
      scheduleField: String
    ) {
      self.section = section
      self.entityMember = entityMember
      self.progressField = progressField
      self.goalField = goalField
      self.scheduleField = scheduleField
    }
  }

  /// The names that the JSON of an entity needs for itself.
  ///
  /// A conflict over a deletion is named like a field, `presence`. Where the fields stand beside
  /// `id`, so do all other members, and days in a section of their own share its names.
  func reservedNames(dayFields: [FieldSchema]) -> Set<String> {
    var names: Set<String> = ["presence"]
    guard isFlat else { return names }
    names.formUnion(["id", "deleted", "contested"])
    if let daySection {
      names.formUnion(["date", "completed", daySection.entityMember])
      names.formUnion(dayFields.map(\.name))
    } else if !dayFields.isEmpty {
      names.insert("days")
    }
    return names
  }
}
