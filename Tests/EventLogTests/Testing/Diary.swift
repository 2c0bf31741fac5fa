import EventLog
import EventLogCollections
import EventLogTesting

/// A record with every mechanism, and days with a register and a counter.
struct Meal: Record, Hashable {
  var name = "", kcal = 0, servings = Counter<Int>()
  var tags: Set<String> = []

  struct Daily: DailyRecord, Hashable {
    var mood: String?
    var ml = Counter<Int>()
  }

  static let schema = Schema<Meal>(
    "meal",
    [
      .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
      .members("tags", \.tags),
    ],
    days: [.register("mood", \.mood), .counter("ml", \.ml)])
}

extension ID<Meal> {
  /// The meal that most tests use.
  static let oats = ID<Meal>("oats")!
}

extension Devices {
  /// A phone and a tablet that both hold a meal, `meal/oats`.
  static func withOats() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let devices = try await meet(records: Meal.self, catalog: .standard)
    _ = try await devices.phone.create(Meal.self, key: "oats") {
      $0.name = "Oats"
      $0.kcal = 370
      $0.tags = ["grain"]
    }
    try await devices.phone.sync(with: devices.tablet)
    return devices
  }
}
