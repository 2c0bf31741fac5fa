/// The characters allowed in the parts of an event's envelope, one bit per class.
package struct CharacterClass: Sendable {
  /// `A–Z a–z 0–9 . _ -`
  package static let device = CharacterClass(bit: 1)
  /// `a–z 0–9 . _ -`
  static let type = CharacterClass(bit: 2)
  /// `a–z 0–9 -`
  static let kind = CharacterClass(bit: 4)
  /// `A–Z a–z 0–9 . _ ~ -`
  static let key = CharacterClass(bit: 8)

  let bit: UInt8

  /// For each byte, the classes that contain it. Never freed.
  nonisolated(unsafe) static let table: UnsafePointer<UInt8> = {
    let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
    table.initialize(repeating: 0, count: 256)
    func add(_ characters: some Sequence<UInt8>, _ bits: UInt8) {
      for byte in characters { table[Int(byte)] |= bits }
    }
    add(UInt8(ascii: "a")...UInt8(ascii: "z"), 1 | 2 | 4 | 8)
    add(UInt8(ascii: "0")...UInt8(ascii: "9"), 1 | 2 | 4 | 8)
    add(UInt8(ascii: "A")...UInt8(ascii: "Z"), 1 | 8)
    add("._".utf8, 1 | 2 | 8)
    add("-".utf8, 1 | 2 | 4 | 8)
    add("~".utf8, 8)
    return UnsafePointer(table)
  }()

  package func contains(_ byte: UInt8) -> Bool { Self.table[Int(byte)] & bit != 0 }
}
