import EventLog
import EventLogTesting

/// Performs random actions on meals.
enum RandomMeals {
  private static let keys = ["oats", "milk", "rice"]
  private static let day = Day("2026-01-28")!

  /// Performs a random action; one that the state doesn't allow has no effect.
  static func act(
    on device: TemporaryStore, _ generator: inout SplitMix64
  ) async throws {
    let key = keys.randomElement(using: &generator)!
    let meal = ID<Meal>(key)!
    let number = Int.random(in: 0...4, using: &generator)
    let tag = ["sweet", "grain"].randomElement(using: &generator)!
    let action = Int.random(in: 0..<12, using: &generator)
    do throws(EventLogError) {
      switch action {
      case 0: _ = try await device.create(Meal.self, key: key) { $0.kcal = number }
      case 1, 2: try await device.edit(meal) { $0.kcal = number }
      case 3: try await device.set(\.servings, of: meal, to: number)
      case 4: try await device.add(number - 2, to: \.servings, of: meal)
      case 5: try await device.include(tag, in: \.tags, of: meal)
      case 6: try await device.exclude(tag, from: \.tags, of: meal)
      case 7: try await device.delete(meal)
      case 8: try await device.restore(meal)
      case 9: try await device.edit(meal, on: day) { $0.mood = tag }
      case 10: try await device.add(number, to: \.ml, of: meal, on: day)
      default:
        guard let conflict = device.snapshot.conflicts.randomElement(using: &generator) else {
          return
        }
        let candidate = conflict.candidates.randomElement(using: &generator)!
        try await device.resolve(conflict, taking: candidate.event)
      }
    } catch {
      let expected: [EventLogError.Code] = [.noEntity, .deletedEntity, .entityExists]
      guard expected.contains(error.code) else { throw error }
    }
  }
}
