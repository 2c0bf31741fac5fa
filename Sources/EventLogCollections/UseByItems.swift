public import EventLog

/// Something that has to be used by a day.
public struct UseByItem: Record {
  /// What the person calls the item.
  public var name = ""
  /// The last day on which to use it; nil: not said.
  public var useBy: Day?
  /// The day it was bought; nil: not said.
  public var bought: Day?
  /// The day it was opened; nil: not said, or still closed.
  public var opened: Day?
  /// How many days it keeps once opened.
  public var daysOnceOpened: Int?
  /// Fridge, freezer, shelf, or the person's own word.
  public var place: String?
  /// How much of `unit` there is; nil: not said.
  public var amount: Double?
  /// What `amount` counts, for example g or pieces; nil: not said.
  public var unit: String?
  /// The day it was used up; nil while there is some left.
  public var usedUp: Day?
  /// The day it was thrown away.
  public var thrownAway: Day?
  /// Anything else about it, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins with nothing filled in.
  public init() {}

  /// Declares `use-by`, whose items stand in the section `useByItems`.
  public static let schema = Schema<UseByItem>(
    "use-by", section: "useByItems",
    [
      .register("name", \.name), .register("useBy", \.useBy), .register("bought", \.bought),
      .register("opened", \.opened),
      .register("daysOnceOpened", \.daysOnceOpened, .wholeNumber(from: 0)),
      .register("place", \.place, note: "fridge, freezer, shelf, or another word"),
      .register("amount", \.amount, .quantity), .register("unit", \.unit, note: "of the amount"),
      .register("usedUp", \.usedUp, note: "the day it was"),
      .register("thrownAway", \.thrownAway, note: "the day it was"), .register("note", \.note),
    ])
}
