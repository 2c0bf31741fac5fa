public import EventLog

/// Something that has to be used by a day.
public struct UseByItem: Record {
  public var name = ""
  public var useBy: Day?
  public var bought: Day?
  public var opened: Day?
  /// How many days it keeps once opened.
  public var daysOnceOpened: Int?
  /// Fridge, freezer, shelf, or the person's own word.
  public var place: String?
  public var amount: Double?
  public var unit: String?
  /// The day it was used up; nil while there is some left.
  public var usedUp: Day?
  /// The day it was thrown away.
  public var thrownAway: Day?
  public var note: String?

  public init() {}

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
