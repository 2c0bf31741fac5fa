/// What a journal holds of events that were issued again.
///
/// Nothing where no line has a `was`.
struct ReissuedEvents: Sendable {
  /// The first event of a device that has a `was`.
  struct First: Sendable {
    var sequence: Int64
    /// The text of its `was`.
    var was: String
  }

  /// By the device's index.
  private(set) var firsts: [Int: First] = [:]

  /// Takes note of an event with a `was`.
  mutating func add(_ device: Int, _ layout: LineLayout, _ canonical: Span<UInt8>) {
    if firsts[device] == nil {
      firsts[device] = First(
        sequence: layout.sequence,
        was: String(decoding: canonical.copy(layout.was), as: UTF8.self))
    }
  }
}

extension ReissuedEvents {
  func encode(into encoder: inout ColumnEncoder) {
    let firsts = firsts.sorted { $0.key < $1.key }
    encoder.write(column: firsts.map { Int32($0.key) })
    encoder.write(column: firsts.map(\.value.sequence))
    encoder.write(strings: firsts.map { Array($0.value.was.utf8)[...] })
  }

  init(
    from decoder: inout ColumnDecoder, _ devices: [Ledger.Device]
  ) throws(ColumnFault) {
    let places: [Int32] = try decoder.column(below: devices.count)
    let sequences: [Int64] = try decoder.column(places.count, in: 1...LineLimits.sequenceMax)
    let texts = try decoder.strings()
    guard texts.count == places.count else { throw ColumnFault() }
    for index in places.indices {
      let device = Int(places[index])
      guard firsts[device] == nil, sequences[index] <= devices[device].last,
        let was = String(validating: texts[index], as: UTF8.self),
        Reissue(device: DeviceID(trusted: ""), was: was) != nil
      else { throw ColumnFault() }
      firsts[device] = First(sequence: sequences[index], was: was)
    }
  }
}

extension Ledger {
  /// The devices that carry events which were issued again, by device: each with the first of them
  /// that is held without a gap.
  ///
  /// - Complexity: O(n log n) in such devices.
  package var reissues: [Reissue] {
    reissued.firsts.compactMap { device, first -> Reissue? in
      guard first.sequence <= devices[device].frontier else { return nil }
      return Reissue(device: DeviceID(trusted: names.text(device)), was: first.was)
    }
    .sorted { $0.device < $1.device }
  }
}
