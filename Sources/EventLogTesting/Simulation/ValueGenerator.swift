import EventLog

/// Generates valid values of fields, from a small set so that devices write the same ones.
struct ValueGenerator {
  static let keys = ["a", "b", "c"]
  private static let dates = ["2026-01-28", "2026-01-29"]

  var random: SplitMix64

  mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  /// Returns a value to resolve a conflict with, which may differ from all candidates.
  mutating func value(settling conflict: Conflict, _ catalog: SchemaCatalog) -> JSONValue {
    let kind = conflict.entity.prefix { $0 != "/" }
    let collection = catalog.collections.first { $0.kind == kind }
    let isOfDay = conflict.entity.contains("@")
    switch collection?.field(conflict.field, ofDay: isOfDay)?.mechanism {
    case .counter: return number(0...9)
    case .register(let rule): return chance(6) ? .null : value(rule)
    case .members, nil: return any()
    }
  }

  mutating func number(_ range: ClosedRange<Int64>) -> JSONValue {
    .number(JSONNumber(Int64.random(in: range, using: &random)))
  }

  /// An amount of a counter, as a number of halves.
  mutating func amount(_ range: ClosedRange<Int64>) -> JSONValue {
    let halves = Int64.random(in: range, using: &random)
    return .number(Amount(millionths: Int128(halves) * 500_000).number)
  }

  mutating func date() -> JSONValue {
    .string(Self.dates.randomElement(using: &random)!)
  }

  mutating func any() -> JSONValue {
    chance(2) ? number(0...3) : word()
  }

  mutating func word() -> JSONValue {
    .string(["one", "two", "three"].randomElement(using: &random)!)
  }

  mutating func value(_ rule: ValueRule) -> JSONValue {
    switch rule {
    case .any: return any()
    case .text: return word()
    case .number, .quantity: return number(0...3)
    case .amount: return amount(0...6)
    case .integer(let bounds):
      let most = min(bounds.upperBound, max(bounds.lowerBound, bounds.lowerBound &+ 3))
      return number(bounds.lowerBound...most)
    case .boolean: return .bool(chance(2))
    case .date: return date()
    case .schedule: return .string(["1/1", "3/7"].randomElement(using: &random)!)
    case .time: return "2026-01-28T09:12:33Z"
    case .entity(let kind): return .string("\(kind)/\(Self.keys.randomElement(using: &random)!)")
    case .attachment: return ValueRule.attachment.example
    case .list(let rule):
      return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(rule) })
    }
  }
}
