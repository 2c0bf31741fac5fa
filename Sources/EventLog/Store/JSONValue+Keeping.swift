#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONValue {
  /// Whether another value contains everything that this one does.
  ///
  /// It may have more members, and other values for those that are `null`. Numbers of equal value,
  /// spellings of one time, UUID or URL, and the order of an array's elements make no difference: a
  /// `Set` is encoded in random order.
  ///
  /// Returns false if arrays in different orders would take more than some 1,000,000 steps.
  func isKept(in other: JSONValue) -> Bool {
    var budget = 1_000_000
    return isKept(in: other, &budget)
  }

  private func isKept(in other: JSONValue, _ budget: inout Int) -> Bool {
    budget -= 1
    if budget < 0 { return false }
    switch (self, other) {
    case (.object(let own), .object(let others)): return Self.areKept(own, in: others, &budget)
    case (.array(let own), .array(let others)):
      return own.count == others.count && Self.areKept(own, in: others, &budget)
    case (.string(let own), .string(let others)): return Self.isSame(own, others)
    default: return self == other
    }
  }

  private static func areKept(
    _ own: JSONObject, in others: JSONObject, _ budget: inout Int
  ) -> Bool {
    // Looking up each name would take quadratic time.
    let values = Dictionary(
      others.members.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { $1 })
    for member in own.members where member.value != .null {
      guard let value = values[Array(member.name.utf8)], member.value.isKept(in: value, &budget)
      else { return false }
    }
    return true
  }

  private static func areKept(
    _ values: [JSONValue], in others: [JSONValue], _ budget: inout Int
  ) -> Bool {
    if zip(values, others).allSatisfy({ $0.isKept(in: $1, &budget) }) { return true }
    budget -= values.reduce(0) { $0 + $1.valueCount } + others.reduce(0) { $0 + $1.valueCount }
    if budget < 0 { return false }
    // Equal elements can be paired first: what contains one of them contains the other's part, too.
    var unpaired: [JSONValue: Int] = [:]
    for value in values { unpaired[value, default: 0] += 1 }
    let rest = others.filter { other in
      guard let count = unpaired[other], count > 0 else { return true }
      unpaired[other] = count - 1
      return false
    }
    guard rest.count <= 500 else { return false }
    var candidates: [[Int]] = []
    for value in unpaired.flatMap({ Array(repeating: $0, count: $1) }) {
      candidates.append(rest.indices.filter { value.isKept(in: rest[$0], &budget) })
      if candidates.last!.isEmpty { return false }
    }
    var pairing = Pairing(candidates, count: rest.count)
    return pairing.isComplete
  }

  /// The number of values in it, including itself.
  private var valueCount: Int {
    switch self {
    case .array(let values): values.reduce(1) { $0 + $1.valueCount }
    case .object(let object): object.members.reduce(1) { $0 + $1.value.valueCount }
    default: 1
    }
  }

  private static func isSame(_ text: String, _ other: String) -> Bool {
    if text.hasBytes(of: other) { return true }
    if let time = Timestamp(text) { return time == Timestamp(other) }
    if let id = UUID(uuidString: text) { return id == UUID(uuidString: other) }
    return text.contains(":") && URL(string: text)?.absoluteString == other
  }
}

/// Pairs each element of one list with another element of a second one that can contain it, by
/// augmenting paths.
private struct Pairing {
  private let candidates: [[Int]]
  /// The element that each element of the second list is paired with.
  private var partners: [Int?]

  init(_ candidates: [[Int]], count: Int) {
    self.candidates = candidates
    partners = [Int?](repeating: nil, count: count)
  }

  /// Whether every element of the first list has a partner.
  var isComplete: Bool {
    mutating get {
      candidates.indices.allSatisfy { element in
        var tried = Set<Int>()
        return pair(element, &tried)
      }
    }
  }

  private mutating func pair(_ element: Int, _ tried: inout Set<Int>) -> Bool {
    for other in candidates[element] where tried.insert(other).inserted {
      if let partner = partners[other], !pair(partner, &tried) { continue }
      partners[other] = element
      return true
    }
    return false
  }
}
