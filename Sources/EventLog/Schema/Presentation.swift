/// The form of a collection's entities in a projection.
package struct Presentation: Sendable, Hashable {
  /// Whether the fields are next to `id` instead of within `fields`.
  package var isFlat: Bool
  /// Fields, and the values they show if they were never written.
  package var defaults: [EventSchema.Assignment]
  /// The section for the days, or nil if they are within their entities.
  package var daySection: DaySection?

  package init(
    isFlat: Bool = false, defaults: [EventSchema.Assignment] = [], daySection: DaySection? = nil
  ) {
    self.isFlat = isFlat
    self.defaults = defaults
    self.daySection = daySection
  }

  /// A separate section for the days of all entities.
  package struct DaySection: Sendable, Hashable {
    /// The name of the section.
    package var section: String
    /// The member that contains the entity's key.
    package var entityMember: String
    /// The day's counter that is compared with the goal.
    package var progressField: String
    /// The entity's field that contains the goal; 1 if it has no value.
    package var goalField: String
    /// The entity's field that contains the ``Schedule``; every day if it has no value.
    package var scheduleField: String
    /// The entity's field that is `atMost` if the goal is a limit.
    package var targetField: String?
    /// The entity's field that contains the number of days whose progress counts together; 1 if it
    /// has no value.
    package var periodField: String?
    /// The day's field that has a value if the day is skipped.
    package var skipField: String?

    package init(
      section: String, entityMember: String, progressField: String, goalField: String,
      scheduleField: String, targetField: String? = nil, periodField: String? = nil,
      skipField: String? = nil
    ) {
      self.section = section
      self.entityMember = entityMember
      self.progressField = progressField
      self.goalField = goalField
      self.scheduleField = scheduleField
      self.targetField = targetField
      self.periodField = periodField
      self.skipField = skipField
    }
  }

  /// The names that the JSON of an entity uses itself.
  ///
  /// A conflict over a deletion has the name `presence`, as if it were a field. If the fields are
  /// next to `id`, all other members are, too, and the days' own section shares their names.
  func reservedNames(dayFields: [FieldSchema]) -> Set<String> {
    var names: Set<String> = ["presence"]
    guard isFlat else { return names }
    names.formUnion(["id", "deleted", "contested", "unreadable"])
    if let daySection {
      names.formUnion(["date", "completed", daySection.entityMember])
      names.formUnion(dayFields.map(\.name))
    } else if !dayFields.isEmpty {
      names.insert("days")
    }
    return names
  }
}
