/// The name of an object with a range: `<device>_<first>-<last>_<crc>.jsonl`.
///
/// Therefore, a name determines the full ID of the range's last event, and the chain before it.
package struct RangeName: Sendable, Hashable {
  package let range: EventRange
  /// The `crc` of the last line.
  package let checksum: LineChecksum
  package let text: String
  /// Whether the name has an addition, such as that of a conflicted copy.
  package let hasAddition: Bool

  /// - Parameter checksum: The checksum of the last line.
  package init(_ range: EventRange, _ checksum: LineChecksum, addition: String = "") {
    self.range = range
    self.checksum = checksum
    text =
      "\(range.device.objectName)_\(range.first)-\(range.last)_\(checksum)\(addition).jsonl"
    hasAddition = !addition.isEmpty
  }

  // Compare bytes, because `==` treats different normalizations as equal.
  package static func == (left: RangeName, right: RangeName) -> Bool {
    left.range == right.range && left.checksum == right.checksum
      && left.text.hasBytes(of: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(range)
    hasher.combine(checksum)
  }

  /// Returns nil for other names.
  package init?(_ text: String) {
    let name = text.utf8
    guard name.suffix(6).elementsEqual(".jsonl".utf8) else { return nil }
    // <device>_<first>-<last>_<crc>, and a possible addition. A device ID may contain `_`.
    let parts = String(name.dropLast(6))!.split(
      separator: "_", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    for position in (2..<parts.count).reversed() {
      let device = parts[..<(position - 1)].joined(separator: "_")
      let numbers = parts[position - 1].split(separator: "-", omittingEmptySubsequences: false)
      let tail = parts[position...].joined(separator: "_").utf8
      guard let device = DeviceID(objectName: device), numbers.count == 2,
        let first = Self.sequence(numbers[0]), let last = Self.sequence(numbers[1]),
        first <= last, let checksum = LineChecksum(text: tail.prefix(16))
      else { continue }
      range = EventRange(device: device, first: first, last: last, chain: checksum.chain)
      self.checksum = checksum
      self.text = text
      hasAddition = tail.count > 16
      return
    }
    return nil
  }

  /// Refuses to open a file of a shared folder as a journal, because such files must not change.
  static func refuse(journal path: String) throws(EventLogError) {
    guard RangeName(Path.name(of: path)) != nil else { return }
    throw EventLogError(
      .notAJournal,
      "\"\(path)\" is not a journal: it has the name of a file in a shared folder. It was not"
        + " changed.",
      hint: "Sync with the folder instead: \"\(Path.folder(of: path))\".", at: .init(file: path))
  }

  /// Returns nil for anything but the canonical spelling of a sequence.
  package static func sequence(_ text: Substring) -> Int64? {
    guard let number = Int64(text), (1...LineLimits.sequenceMax).contains(number),
      String(number) == text
    else { return nil }
    return number
  }
}
