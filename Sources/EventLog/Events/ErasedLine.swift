/// The line of an erased event: as long as the original, with the same ID, `seen`, `more` and
/// chains.
///
/// So nothing else in the journal, and no reference to the event, changes. The bytes depend only on
/// the original and on what is erased, so that all devices write the same ones.
package enum ErasedLine {
  /// Returns the erased form of a line, without an LF, or nil if the line has no room for it.
  ///
  /// - Parameters:
  ///   - byteCount: The length of the line in its file.
  ///   - members: The names of the members of `data` to erase, or nil to erase the whole event.
  package static func bytes(
    of layout: LineLayout, _ canonical: Span<UInt8>, byteCount: Int, without members: Set<[UInt8]>?
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 1)
    bytes.append(literal: #"{"id":""#)
    canonical.append(layout.device, to: &bytes)
    bytes.append(text: ":\(layout.sequence)\"")
    if let members {
      appendEnvelope(of: layout, canonical, to: &bytes)
      appendData(of: layout, canonical, without: members, to: &bytes)
    } else {
      appendSeen(of: layout, canonical, to: &bytes)
      if layout.hasMore { bytes.append(literal: #","more":true"#) }
    }
    return fill(&bytes, upTo: byteCount - LineLimits.checksumTailBytes, layout.checksum)
      ? bytes : nil
  }

  private static func appendSeen(
    of layout: LineLayout, _ canonical: Span<UInt8>, to bytes: inout [UInt8]
  ) {
    let seen = layout.seen.map { entry in
      FullEventID(
        device: DeviceID(trusted: canonical.text(entry.device)), sequence: entry.sequence,
        chain: entry.chain)
    }
    EventLineWriter.append(seen: seen, to: &bytes)
  }

  private static func appendEnvelope(
    of layout: LineLayout, _ canonical: Span<UInt8>, to bytes: inout [UInt8]
  ) {
    func append(_ name: StaticString, _ value: ByteRange) {
      if value.isEmpty { return }
      bytes.append(literal: name)
      canonical.append(value, to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    }
    append(#","at":""#, layout.at)
    append(#","type":""#, layout.type)
    append(#","entity":""#, layout.entity)
    appendSeen(of: layout, canonical, to: &bytes)
    append(#","ref":""#, layout.ref)
    if layout.hasMore { bytes.append(literal: #","more":true"#) }
  }

  private static func appendData(
    of layout: LineLayout, _ canonical: Span<UInt8>, without members: Set<[UInt8]>,
    to bytes: inout [UInt8]
  ) {
    bytes.append(literal: #","data":{"#)
    var isFirst = true
    for member in layout.members where !members.contains(canonical.copy(member.name)) {
      bytes.append(literal: isFirst ? "\"" : ",\"")
      isFirst = false
      canonical.append(member.name, to: &bytes)
      bytes.append(literal: "\":")
      canonical.append(member.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Fills the covered bytes up to `count` with `erased`, so that the chain stays, and adds the
  /// tail.
  ///
  /// - Returns: Whether there is room.
  private static func fill(
    _ bytes: inout [UInt8], upTo count: Int, _ checksum: LineChecksum
  ) -> Bool {
    bytes.append(literal: #","erased":""#)
    let filler = count - bytes.count - ChainFiller.letterCount - 1
    guard filler >= 0 else { return false }
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "-"), count: filler))
    let before = ChainDigits.spelled(checksum.before)
    bytes.append(contentsOf: ChainFiller.letters(after: bytes, chain: checksum.chain, before))
    bytes.append(literal: #"","crc":""#)
    bytes.append(contentsOf: checksum.digits)
    bytes.append(literal: "\"}")
    return true
  }
}

/// Letters with which covered bytes get any given chain.
///
/// CRC-32C is affine: for a fixed length, flipping a bit always flips the same bits of the
/// checksum. The letters H to O and h to o differ in four bits that are free, and twelve of them
/// reach every checksum.
private enum ChainFiller {
  static let letterCount = 12
  /// The letter without any of the free bits.
  private static let base = UInt8(ascii: "H")
  private static let freeBits: [UInt8] = [0x01, 0x02, 0x04, 0x20]
  /// The quote after the letters, and the previous chain.
  private static let followingCount = 9

  /// Bits of the letters to flip, and the bits of the checksum that this flips.
  private struct Flip {
    var effect: UInt32
    var bits: [UInt8]

    mutating func join(_ other: Flip) {
      effect ^= other.effect
      for index in bits.indices { bits[index] ^= other.bits[index] }
    }
  }

  /// For each bit of a checksum, a flip of which it is the highest effect.
  private static let flips: [Flip?] = {
    var flips = [Flip?](repeating: nil, count: UInt32.bitWidth)
    let blank = [UInt8](repeating: 0, count: letterCount + followingCount)
    for index in 0..<letterCount {
      for bit in freeBits {
        var changed = blank
        changed[index] = bit
        var flip = Flip(
          effect: CRC32C.checksum(changed) ^ CRC32C.checksum(blank),
          bits: Array(changed.prefix(letterCount)))
        while flip.effect != 0 {
          let highest = flip.effect.highestBit
          guard let known = flips[highest] else {
            flips[highest] = flip
            break
          }
          flip.join(known)
        }
      }
    }
    return flips
  }()

  /// The letters between `bytes` and a quote with which the chain is `chain`.
  static func letters(after bytes: [UInt8], chain: UInt32, _ before: [UInt8]) -> [UInt8] {
    let letters = [UInt8](repeating: base, count: letterCount)
    let found = CRC32C.checksum(bytes + letters + [UInt8(ascii: "\"")] + before)
    var flip = Flip(effect: found ^ chain, bits: letters)
    while flip.effect != 0, let known = flips[flip.effect.highestBit] { flip.join(known) }
    return flip.bits
  }
}

extension UInt32 {
  fileprivate var highestBit: Int { 31 - leadingZeroBitCount }
}
