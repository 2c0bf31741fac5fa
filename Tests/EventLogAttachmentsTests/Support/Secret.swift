/// A random position, in the forms in which files contain it.
///
/// Two secrets have forms of the same lengths, so that files with either differ only in them.
struct Secret {
  let latitude: UInt32
  let longitude: UInt32

  init(_ random: inout some RandomNumberGenerator) {
    latitude = .random(in: 1_000_000_000...4_000_000_000, using: &random)
    longitude = .random(in: 1_000_000_000...4_000_000_000, using: &random)
  }

  /// Degrees, minutes and seconds as rationals.
  func rationals(_ number: UInt32, bigEndian: Bool) -> [UInt8] {
    [number, 10_000_000, number / 2, 10_000_000, number / 3, 1_000_000].flatMap { part in
      let bytes = big(Int(part), 4)
      return bigEndian ? bytes : bytes.reversed()
    }
  }

  var latitudeText: String { "48,\(latitude)N" }
  var longitudeText: String { "11,\(longitude)E" }
  /// As in ISO 6709.
  var text: String { "+48.\(latitude)+011.\(longitude)/" }

  /// Whether bytes contain a form of the secret.
  func isIn(_ bytes: [UInt8]) -> Bool {
    [latitude, longitude].contains { number in
      let raw = big(Int(number), 4)
      let hex = raw.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let backwards = raw.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return [raw, raw.reversed(), Array(hex.utf8), Array(backwards.utf8), Array("\(number)".utf8)]
        .contains(where: bytes.hasRun)
    }
  }
}

extension [UInt8] {
  /// Whether the array contains `wanted` as a contiguous run.
  func hasRun(_ wanted: [UInt8]) -> Bool { run(wanted) != nil }

  /// The index of the first byte of a run.
  func run(_ wanted: [UInt8]) -> Int? {
    guard let first = wanted.first, count >= wanted.count else { return nil }
    for index in 0...count - wanted.count where self[index] == first {
      if self[index..<index + wanted.count].elementsEqual(wanted) { return index }
    }
    return nil
  }
}
