package import EventLog

/// Damages bytes like disks, transports, editors and attackers do.
package struct Mutator {
  package var random: SplitMix64
  /// Inputs from which parts are spliced in.
  private let donors: [[UInt8]]

  /// Bytes with a meaning in JSON, UTF-8 or lines.
  private static let telling: [UInt8] =
    Array("\"\\{}[],:-+.eEu0123456789/ntfb Zé".utf8) + [0, 1, 9, 0x0D, 0x1F, 0x7F, 0x80, 0xBF]
    + [0xC0, 0xE0, 0xED, 0xF0, 0xF4, 0xFF]

  /// Texts that may mislead a reader.
  private static let phrases = [
    #","crc":"0123456789abcdef"}"#, #""seen":["phone-k3f9a2xq:1~5b1f00aa"]"#, #""v":2,"#,
    #""v":1,"#,
    #"\ud83d\ude00"#, #"\ud83d"#, #"\u0000"#, #"\u0022"#, "9007199254740992", "1e99999999999",
    "-0", "\u{FEFF}", "null", "[[[[", "}}}}", #"{"a":1,"a":2}"#, "2026-02-30", #""data":{}"#,
    #","x":1"#, #""ref":"r","#, #""more":true,"#, "~00000000",
  ].map { Array($0.utf8) }

  package init(_ random: SplitMix64, donors: [[UInt8]]) {
    self.random = random
    self.donors = donors
  }

  /// Returns the bytes after one to four mutations.
  package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    for _ in 0...Int.random(in: 0...3, using: &random) { mutate(&result) }
    return result
  }

  /// Returns up to 300 random bytes, of any value or only of those in `telling`.
  package mutating func noise() -> [UInt8] {
    let count = Int.random(in: 0...300, using: &random)
    let isTelling = Bool.random(using: &random)
    return (0..<count).map { _ in
      isTelling
        ? Self.telling.randomElement(using: &random)! : UInt8.random(in: 0...255, using: &random)
    }
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let offset = Int.random(in: 0...bytes.count, using: &random)
    let length = min(bytes.count - offset, 1 << Int.random(in: 0...6, using: &random))
    switch Int.random(in: 0..<9, using: &random) {
    case 0 where offset < bytes.count:
      bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where offset < bytes.count:
      bytes[offset] = Self.telling.randomElement(using: &random)!
    case 2:
      bytes.insert(Self.telling.randomElement(using: &random)!, at: offset)
    case 3:
      bytes.insert(contentsOf: Self.phrases.randomElement(using: &random)!, at: offset)
    case 4:
      bytes.removeSubrange(offset..<(offset + length))
    case 5:
      bytes.insert(contentsOf: bytes[offset..<(offset + length)], at: offset)
    case 6:
      // Splice the start of one input and the end of another.
      let donor = donors.randomElement(using: &random)!
      bytes = Array(bytes[..<offset]) + donor[Int.random(in: 0...donor.count, using: &random)...]
    case 7:
      bytes.insert(contentsOf: (0..<length).map { _ in random.nextByte() }, at: offset)
    default:
      if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeSubrange(offset...) }
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func nextByte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
