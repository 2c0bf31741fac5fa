package import EventLog

/// Returns `covered`, a line up to its checksum, with the checksum tail after a chain.
package func sealed(_ covered: [UInt8], after chain: UInt32 = 0) -> [UInt8] {
  let checksum = LineChecksum.of(covered: covered, after: chain)
  return covered + Array(#","crc":""#.utf8) + checksum.digits + Array("\"}".utf8)
}

/// Returns `covered`, a line up to its checksum, with the checksum tail after a chain.
package func sealed(_ covered: String, after chain: UInt32 = 0) -> [UInt8] {
  sealed(Array(covered.utf8), after: chain)
}

/// Returns changed lines with valid checksums, so that a reader accepts them.
///
/// A line keeps the predecessor that its own tail states. Chains that change are replaced in this
/// predecessor, in the `seen` of later lines, and in lines without a tail, which are otherwise
/// unchanged.
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

/// Returns the text with chains replaced: eight digits after a `~` or a quotation mark.
private func renaming(
  _ text: ArraySlice<UInt8>, _ newChains: [ArraySlice<UInt8>: [UInt8]]
) -> [UInt8] {
  var text = Array(text)
  for index in text.indices
  where text[index] == UInt8(ascii: "~") || text[index] == UInt8(ascii: "\"") {
    let digits = index + 1..<min(index + 9, text.count)
    if let chain = newChains[text[digits]] { text.replaceSubrange(digits, with: chain) }
  }
  return text
}

/// The length of a line's tail after the bytes that its checksum covers: `,"crc":"`, 16 digits,
/// `"}`.
package let sealedTailBytes = 26

/// Returns the checksum at the end of a line, valid or not, or nil if there is none.
package func sealedTail(of line: [UInt8]) -> LineChecksum? {
  guard line.count > sealedTailBytes, line.suffix(2).elementsEqual(#""}"#.utf8),
    line.suffix(sealedTailBytes).starts(with: #","crc":""#.utf8)
  else { return nil }
  return LineChecksum(text: line.dropLast(2).suffix(16))
}
