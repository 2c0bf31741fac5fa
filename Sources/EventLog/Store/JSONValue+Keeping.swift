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
  func isKept(in other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let own), .object(let others)):
      own.members.allSatisfy { member in
        member.value == .null || others[member.name].map { member.value.isKept(in: $0) } ?? false
      }
    case (.array(let own), .array(let others)):
      own.count == others.count && Self.areKept(own, in: others)
    case (.string(let own), .string(let others)): Self.isSame(own, others)
    default: self == other
    }
  }

  private static func areKept(_ values: [JSONValue], in others: [JSONValue]) -> Bool {
    if zip(values, others).allSatisfy({ $0.isKept(in: $1) }) { return true }
    // Equal elements can be paired first: what contains one of them contains the other's part, too.
    var unpaired: [JSONValue: Int] = [:]
    for value in values { unpaired[value, default: 0] += 1 }
    let rest = others.filter { other in
      guard let count = unpaired[other], count > 0 else { return true }
      unpaired[other] = count - 1
      return false
    }
    // The pairing takes quadratic time.
    guard rest.count <= 500 else { return false }
    var pairing = Pairing(
      unpaired.flatMap { Array(repeating: $0, count: $1) }.map { value in
        rest.indices.filter { value.isKept(in: rest[$0]) }
      }, count: rest.count)
    return pairing.isComplete
  }

  private static func isSame(_ text: String, _ other: String) -> Bool {
    if text.hasBytes(of: other) { return true }
    if let time = Timestamp(text) { return time == Timestamp(other) }
    if let id = UUID(uuidString: text) { return id == UUID(uuidString: other) }
    return text.contains("://") && URL(string: text)?.absoluteString == other
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
