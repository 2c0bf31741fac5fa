/// How a collection's entities are shown in a projection.
public struct Presentation: Sendable, Hashable {
  /// Whether the fields stand beside `id` instead of within `fields`.
  public var isFlat: Bool
  /// Fields that are shown with these values where nothing was written.
  public var defaults: [EventSchema.Assignment]
  /// Where the days are shown; nil: within their entity.
  public var daySection: DaySection?

  public init(
    isFlat: Bool = false, defaults: [EventSchema.Assignment] = [], daySection: DaySection? = nil
  ) {
    self.isFlat = isFlat
    self.defaults = defaults
    self.daySection = daySection
  }

  /// A section of its own for the days of all entities.
  public struct DaySection: Sendable, Hashable {
    /// Its name.
    public var section: String
    /// The member that holds the entity's key.
    public var entityMember: String
    /// The day's counter that is compared with the goal.
    public var progressField: String
    /// The entity's field that holds the goal; 1 where it has no value.
    public var goalField: String
    /// The entity's field that holds the ``Schedule``; every day where it has no value.
    public var scheduleField: String

    public init(
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
}
