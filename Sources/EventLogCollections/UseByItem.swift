public import EventLog

/// An item to use by a certain day.
public struct UseByItem: Record {
  /// The name of the item.
  public var name = ""
  /// The last day on which to use the item.
  public var useBy: Day?
  /// The day on which the item was bought.
  public var bought: Day?
  /// The day on which the item was opened.
  public var opened: Day?
  /// The number of days that the item keeps after opening.
  public var daysOnceOpened: Int?
  /// The place of the item: fridge, freezer, shelf, or another word.
  public var place: String?
  /// The amount, measured in ``unit``.
  public var amount: Double?
  /// The unit of the amount, such as g or pieces.
  public var unit: String?
  /// The day on which the item was used up.
  public var usedUp: Day?
  /// The day on which the item was thrown away.
  public var thrownAway: Day?
  /// A note in the person's own words.
  public var note: String?

  /// Creates an empty record.
  public init() {}

  /// The declaration of the collection `use-by`, with the section `useByItems`.
  public static let schema = Schema<UseByItem>(
    "use-by", section: "useByItems",
    [
      .register("name", \.name), .register("useBy", \.useBy), .register("bought", \.bought),
      .register("opened", \.opened),
      .register("daysOnceOpened", \.daysOnceOpened, .wholeNumber(from: 0)),
      .register("place", \.place, note: "fridge, freezer, shelf, or another word"),
      .register("amount", \.amount, .quantity),
      .register("unit", \.unit, note: "unit of the amount"),
      .register("usedUp", \.usedUp, note: "the day it was used up"),
      .register("thrownAway", \.thrownAway, note: "the day it was thrown away"),
      .register("note", \.note),
    ])
}
