package import EventLog

/// `covered`, which lacks its last brace, with the checksum tail of a history's next line.
package func sealed(_ covered: [UInt8], after chain: UInt32 = 0) -> [UInt8] {
  let checksum = LineChecksum.of(covered: covered, after: chain)
  return covered + Array(#","crc":""#.utf8) + checksum.digits + Array("\"}".utf8)
}

/// `covered`, which lacks its last brace, with the checksum tail of a history's next line.
package func sealed(_ covered: String, after chain: UInt32 = 0) -> [UInt8] {
  sealed(Array(covered.utf8), after: chain)
}

/// Lines that somebody has changed, sealed again, so that what they say now is read.
///
/// A line keeps the place in its history that its own tail states. Chains that have changed are
/// called as they are called now: in that place, in what later lines name in `seen`, and in lines
/// without a tail, which else stay as they are.
package func resealed(_ lines: [[UInt8]]) -> [[UInt8]] {
  var newChains: [ArraySlice<UInt8>: [UInt8]] = [:]
  let lines = lines.map { line in
    guard let tail = sealedTail(of: line) else { return line }
    let covered = renaming(line.dropLast(sealedTailBytes), newChains)
    let before = newChains[tail.digits[..<8]].flatMap { ChainDigits.value($0) }
    let sealed = sealed(covered, after: before ?? tail.before)
    newChains[tail.digits[8...]] = Array(sealed.dropLast(2).suffix(8))
    return sealed
  }
  return lines.map { sealedTail(of: $0) == nil ? renaming($0[...], newChains) : $0 }
}

/// The text with other names for chains: the eight digits behind a `~` or a quotation mark.
private func renaming(
  _ text: ArraySlice<UInt8>, _ newChains: [ArraySlice<UInt8>: [UInt8]]
) -> [UInt8] {
  var text = Array(text)
  for place in text.indices
  where text[place] == UInt8(ascii: "~") || text[place] == UInt8(ascii: "\"") {
    let digits = place + 1..<min(place + 9, text.count)
    if let chain = newChains[text[digits]] { text.replaceSubrange(digits, with: chain) }
  }
  return text
}

/// The bytes behind what a line's checksum covers: `,"crc":"`, 16 digits, `"}`.
package let sealedTailBytes = 26

/// The checksums that a line states at its end, fitting or not; nil for what is no sealed line.
package func sealedTail(of line: [UInt8]) -> LineChecksum? {
  guard line.count > sealedTailBytes, line.suffix(2).elementsEqual(#""}"#.utf8),
    line.suffix(sealedTailBytes).starts(with: #","crc":""#.utf8)
  else { return nil }
  return LineChecksum(text: line.dropLast(2).suffix(16))
}
