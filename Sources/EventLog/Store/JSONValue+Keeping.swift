#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONValue {
  /// Whether another value contains everything that this one does.
  ///
  /// It may have more members, and lack those that are `null`. Numbers of equal value, spellings of
  /// one time or UUID, and the order of an array's elements make no difference: a `Set` is encoded
  /// in random order.
  func isKept(in other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let own), .object(let others)):
      own.members.allSatisfy { member in
        others[member.name].map { member.value.isKept(in: $0) } ?? (member.value == .null)
      }
    case (.array(let own), .array(let others)):
      own.count == others.count && Self.areKept(own, in: others)
    case (.string(let own), .string(let others)): Self.isSame(own, others)
    default: self == other
    }
  }

  private static func areKept(_ values: [JSONValue], in others: [JSONValue]) -> Bool {
    if zip(values, others).allSatisfy({ $0.isKept(in: $1) }) { return true }
    // Pair equal elements first: each search for one with additions takes linear time.
    var unpaired: [JSONValue: Int] = [:]
    for value in values { unpaired[value, default: 0] += 1 }
    var rest = others.filter { other in
      guard let count = unpaired[other], count > 0 else { return true }
      unpaired[other] = count - 1
      return false
    }
    guard rest.count <= 100 else { return false }
    for value in unpaired.flatMap({ Array(repeating: $0, count: $1) }) {
      guard let index = rest.firstIndex(where: { value.isKept(in: $0) }) else { return false }
      rest.remove(at: index)
    }
    return true
  }

  private static func isSame(_ text: String, _ other: String) -> Bool {
    if text.hasBytes(of: other) { return true }
    if let time = Timestamp(text) { return time == Timestamp(other) }
    return UUID(uuidString: text).map { $0 == UUID(uuidString: other) } ?? false
  }
}
