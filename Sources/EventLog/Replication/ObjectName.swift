/// The name of an object with a range: `<device>_<first>-<last>_<crc>.jsonl`.
///
/// So a name determines the full ID of the last event of the range, and the chain before that
/// event.
struct RangeName: Sendable, Hashable {
  let range: EventRange
  /// The `crc` of the last line.
  let checksum: LineChecksum
  let text: String
  /// Whether the name has an addition, such as that of a conflicted copy.
  let hasAddition: Bool

  /// - Parameter checksum: The checksum of the last line.
  init(_ range: EventRange, _ checksum: LineChecksum, addition: String = "") {
    self.range = range
    self.checksum = checksum
    text =
      "\(range.device.objectName)_\(range.first)-\(range.last)_\(checksum)\(addition).jsonl"
    hasAddition = !addition.isEmpty
  }

  // Compare bytes, because `==` treats different normalizations as equal.
  static func == (left: RangeName, right: RangeName) -> Bool {
    left.range == right.range && left.checksum == right.checksum
      && left.text.hasBytes(of: right.text)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(range)
    hasher.combine(checksum)
  }

  /// Returns nil for other names.
  init?(_ text: String) {
    let name = text.utf8
    guard name.suffix(6).elementsEqual(".jsonl".utf8) else { return nil }
    // <device>_<first>-<last>_<crc>, and a possible addition. A device ID may contain `_`.
    let parts = String(name.dropLast(6))!.split(
      separator: "_", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    for place in (2..<parts.count).reversed() {
      let device = parts[..<(place - 1)].joined(separator: "_")
      let numbers = parts[place - 1].split(separator: "-", omittingEmptySubsequences: false)
      let tail = parts[place...].joined(separator: "_").utf8
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

  private static func sequence(_ text: Substring) -> Int64? {
    guard let number = Int64(text), (1...LineLimits.sequenceMax).contains(number),
      String(number) == text
    else { return nil }
    return number
  }
}

/// The name of a frontier, an object with a writer's statement:
/// `<writer>_frontier_<number>_<CRC-32C of the content>.json`.
struct FrontierName: Sendable, Hashable {
  let writer: DeviceID
  let number: Int64
  let checksum: UInt32
  let text: String

  init(_ writer: DeviceID, _ number: Int64, content: [UInt8]) {
    self.writer = writer
    self.number = number
    checksum = CRC32C.checksum(content)
    text =
      "\(writer.objectName)_frontier_\(number)_\(ChainDigits.text(checksum)).json"
  }

  // Compare bytes, because `==` treats different normalizations as equal.
  static func == (left: FrontierName, right: FrontierName) -> Bool {
    left.text.hasBytes(of: right.text)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(writer)
    hasher.combine(number)
  }

  /// Returns nil for other names.
  init?(_ text: String) {
    let name = text.utf8
    guard name.suffix(5).elementsEqual(".json".utf8) else { return nil }
    let parts = String(name.dropLast(5))!.split(
      separator: "_", omittingEmptySubsequences: false)
    guard let mark = parts.lastIndex(of: "frontier"), mark >= 1, mark + 2 < parts.count,
      let number = Int64(parts[mark + 1]), Self.numbers.contains(number),
      String(number) == parts[mark + 1],
      // There may be an addition after the digits.
      let checksum = ChainDigits.value(parts[mark + 2].utf8.prefix(8)),
      let writer = DeviceID(objectName: parts[..<mark].joined(separator: "_"))
    else { return nil }
    self.writer = writer
    self.number = number
    self.checksum = checksum
    self.text = text
  }

  /// The valid numbers.
  private static let numbers = 1...LineLimits.sequenceMax

  /// Returns a number not yet taken: one more than the greatest if possible.
  static func number(besides taken: Set<Int64>) -> Int64 {
    let next = (taken.max() ?? 0) + 1
    return numbers.contains(next) ? next : numbers.first { !taken.contains($0) } ?? 1
  }
}

extension DeviceID {
  /// The ID as it is spelled in the name of an object: after `~` if it begins with `.`, because
  /// temporary files do, too.
  fileprivate var objectName: String { text.utf8.first == UInt8(ascii: ".") ? "~" + text : text }

  /// Returns nil for text that isn't the ``objectName`` of any device.
  fileprivate init?(objectName: String) {
    let isMarked = objectName.utf8.first == UInt8(ascii: "~")
    guard let device = DeviceID(isMarked ? String(objectName.dropFirst()) : objectName),
      isMarked == (device.text.utf8.first == UInt8(ascii: "."))
    else { return nil }
    self = device
  }
}
