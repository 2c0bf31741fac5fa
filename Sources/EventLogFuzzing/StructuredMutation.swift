import EventLog
import EventLogTesting

/// Mutates inputs and repairs checksums and line counts, so that the changed parts are read.
struct StructuredMutation {
  private var random: SplitMix64
  private let bytesMax: Int
  /// Mutates bytes regardless of their meaning, into at most a number of bytes.
  private let blindly: ([UInt8], Int) -> [UInt8]

  init(seed: UInt64, bytesMax: Int, blindly: @escaping ([UInt8], Int) -> [UInt8]) {
    random = SplitMix64(seed: seed)
    self.bytesMax = bytesMax
    self.blindly = blindly
  }

  mutating func mutated(_ input: [UInt8]) -> [UInt8] {
    var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    let index = Int.random(in: 0..<max(1, lines.count), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return blindly(input, bytesMax)
    case 1: return Self.repaired(blindly(input, bytesMax), bytesMax)
    case _ where lines.isEmpty: return blindly(input, bytesMax)
    case 2, 3, 4:
      let tail = sealedTail(of: lines[index]) == nil ? 0 : sealedTailBytes
      let covered = Array(lines[index].dropLast(tail))
      lines[index] = blindly(covered, covered.count + 64) + lines[index].suffix(tail)
    case 5, 6:
      let tail = sealedTail(of: lines[index]) == nil ? 0 : sealedTailBytes
      var mutator = Mutator(SplitMix64(seed: random.next()), donors: lines)
      lines[index] = mutator.mutated(lines[index].dropLast(tail)) + lines[index].suffix(tail)
    case 7: lines.swapAt(index, Int.random(in: 0..<lines.count, using: &random))
    case 8: lines.remove(at: index)
    default:
      lines.insert(lines[index], at: Int.random(in: 0...lines.count, using: &random))
    }
    return Self.repaired(Array(lines.joined(separator: [0x0A])), bytesMax)
  }

  /// Returns the input with valid checksums and counts, or unchanged if it would be too long.
  static func repaired(_ input: [UInt8], _ bytesMax: Int) -> [UInt8] {
    var lines = resealed(
      input.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init))
    for index in lines.indices where lines[index].starts(with: #"{"lines":{"#.utf8) {
      let announced = lines[(index + 1)...].prefix { sealedTail(of: $0) != nil }
      if announced.isEmpty { continue }
      let byteCount = announced.reduce(0) { $0 + $1.count + 1 }
      lines[index] = Array(
        #"{"lines":{"count":\#(announced.count),"bytes":\#(byteCount)}}"#.utf8)
    }
    let repaired = Array(lines.joined(separator: [0x0A]))
    return repaired.count <= bytesMax ? repaired : input
  }
}
