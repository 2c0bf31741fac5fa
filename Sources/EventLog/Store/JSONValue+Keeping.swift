#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONValue {
  /// Whether another value contains everything that this one does.
  ///
  /// It may have more members. Numbers of equal value, spellings of one time or UUID, and the order
  /// of an array's elements make no difference: a `Set` is encoded in random order.
  ///
  /// - Complexity: O(*n*²) for an array of *n* elements in another order.
  func isKept(in other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let own), .object(let others)):
      own.members.allSatisfy { member in
        others[member.name].map { member.value.isKept(in: $0) } ?? false
      }
    case (.array(let own), .array(let others)):
      own.count == others.count && Self.areKept(own, in: others)
    case (.string(let own), .string(let others)): Self.isSame(own, others)
    default: self == other
    }
  }

  private static func areKept(_ values: [JSONValue], in others: [JSONValue]) -> Bool {
    if zip(values, others).allSatisfy({ $0.isKept(in: $1) }) { return true }
    var rest = others
    for value in values {
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
