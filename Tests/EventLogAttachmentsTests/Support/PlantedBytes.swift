/// Bytes of a file that record which of them an edit may change.
struct PlantedBytes: Equatable {
  private(set) var bytes: [UInt8] = []
  /// Whether each byte belongs to a position, or to a checksum of one.
  private(set) var isPosition: [Bool] = []

  var count: Int { bytes.count }

  init(_ bytes: [UInt8] = [], isPosition: Bool = false) {
    self.bytes = bytes
    self.isPosition = bytes.map { _ in isPosition }
  }

  init(_ text: String, isPosition: Bool = false) {
    self.init(Array(text.utf8), isPosition: isPosition)
  }

  static func + (left: PlantedBytes, right: PlantedBytes) -> PlantedBytes {
    var sum = left
    sum += right
    return sum
  }

  static func += (left: inout PlantedBytes, right: PlantedBytes) {
    left.bytes += right.bytes
    left.isPosition += right.isPosition
  }

  static func += (left: inout PlantedBytes, right: [UInt8]) { left += PlantedBytes(right) }

  subscript(range: Range<Int>) -> PlantedBytes {
    var part = PlantedBytes()
    part.bytes = Array(bytes[range])
    part.isPosition = Array(isPosition[range])
    return part
  }

  var hasPosition: Bool { isPosition.contains(true) }

  mutating func patch(at offset: Int, _ new: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  /// The same bytes, all of which an edit may change.
  func asPosition() -> PlantedBytes { PlantedBytes(bytes, isPosition: true) }

  /// The bytes in consecutive parts, at random boundaries.
  func divided(into count: Int, _ random: inout some RandomNumberGenerator) -> [PlantedBytes] {
    let cuts = (1..<max(1, count)).map { _ in Int.random(in: 0...self.count, using: &random) }
    let bounds = [0] + cuts.sorted() + [self.count]
    return zip(bounds, bounds.dropFirst()).map { self[$0..<$1] }
  }

  /// As hexadecimal digits, in lines of 72.
  var hexLines: PlantedBytes {
    var text = PlantedBytes()
    for (index, byte) in bytes.enumerated() {
      let digits = String(byte, radix: 16)
      text += PlantedBytes(
        (digits.count == 1 ? "0" : "") + digits, isPosition: isPosition[index])
      if index % 36 == 35 { text += PlantedBytes("\n") }
    }
    return text
  }
}

/// Bytes of a number, the most significant one first.
func big(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}
