import EventLog

/// The name of a frontier, an object with a writer's statement:
/// `<writer>_frontier_<number>_<CRC-32C of the content>.json`.
package struct FrontierName: Sendable, Hashable {
  let writer: DeviceID
  let number: Int64
  let checksum: UInt32
  let text: String

  init(_ writer: DeviceID, _ number: Int64, content: [UInt8]) {
    self.writer = writer
    self.number = number
    checksum = CRC32C.checksum(content)
    text =
      "\(writer.objectName)_frontier_\(number)_\(ChainDigits.text(checksum)).json"
  }

  // Compare bytes, because `==` treats different normalizations as equal.
  package static func == (left: FrontierName, right: FrontierName) -> Bool {
    left.text.hasBytes(of: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(writer)
    hasher.combine(number)
  }

  /// Returns nil for other names.
  package init?(_ text: String) {
    let name = text.utf8
    guard name.suffix(5).elementsEqual(".json".utf8) else { return nil }
    let parts = String(name.dropLast(5))!.split(
      separator: "_", omittingEmptySubsequences: false)
    guard let mark = parts.lastIndex(of: "frontier"), mark >= 1, mark + 2 < parts.count,
      let number = RangeName.sequence(parts[mark + 1]),
      // An addition may follow the digits.
      let checksum = ChainDigits.value(parts[mark + 2].utf8.prefix(8)),
      let writer = DeviceID(objectName: parts[..<mark].joined(separator: "_"))
    else { return nil }
    self.writer = writer
    self.number = number
    self.checksum = checksum
    self.text = text
  }

  /// The valid numbers.
  private static let numbers = 1...LineLimits.sequenceMax

  /// Returns a number not yet taken: one more than the greatest if possible.
  static func number(excluding taken: Set<Int64>) -> Int64 {
    let next = (taken.max() ?? 0) + 1
    return numbers.contains(next) ? next : numbers.first { !taken.contains($0) } ?? 1
  }
}
