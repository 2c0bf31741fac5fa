/// The content of `device.json`: the device ID of this copy of a journal, and how to recognize the
/// copy.
///
/// A copied, cloned or restored journal must not write under the old ID, or two events get the same
/// ID. So the record names the machine and the file that it was made for, and the last own event
/// that was synced. If one of these doesn't match, the next append takes a fresh ID.
package struct DeviceRecord: Sendable, Equatable {
  package var device: DeviceID
  /// The machine's ID, if the system provides one.
  package var machine: String?
  /// The journal's file.
  package var file: FileIdentity
  /// The sequence of the last own event that was synced, or 0 before the first.
  package var sequence: Int64
  /// The checksum of that event.
  package var checksum: LineChecksum
  /// The offset in the file up to which all lines are known to be synced.
  package var syncedOffset: Int64 = 0
  /// The reason why the device ID is no longer used, or nil while it is in use.
  package var retirement: Retirement?
  package var isRetired: Bool { retirement != nil }
  /// Whether no event of the device, or of an earlier one of this file, is known to be synced.
  var isUnused: Bool { written.isEmpty && !isRetired }
  /// The last events of the earlier devices of this file, oldest first.
  package var past: [FullEventID] = []

  /// The reason why an ID was retired.
  package enum Retirement: String, Sendable, CaseIterable {
    /// A doubtful end with the device's events was quarantined.
    case doubtfulEnd
    /// This journal lacks events of the device that exist elsewhere: another copy has written under
    /// the ID, or the journal was rolled back.
    case duplicateWriter
    /// The journal lacks events that it has written.
    case rolledBack
  }

  /// The size of the file is a multiple of this and at most a page, so that one write within a page
  /// updates it in place.
  static let blockBytes = 512
  /// The number of entries of `past` that fit in a page.
  static let pastMax = 32

  /// Distinguishes a file from a copy of it.
  package struct FileIdentity: Sendable, Equatable {
    package var inode: UInt64
    /// Nanoseconds since 1970, or nil if the file system doesn't record the time.
    package var birth: Int64?

    package init(_ status: FileStatus) {
      inode = status.inode
      birth = status.birth
    }

    init(inode: UInt64, birth: Int64?) {
      self.inode = inode
      self.birth = birth
    }
  }

  package init(
    device: DeviceID, machine: String?, file: FileIdentity, sequence: Int64, checksum: LineChecksum
  ) {
    self.device = device
    self.machine = machine
    self.file = file
    self.sequence = sequence
    self.checksum = checksum
  }

  /// The content of `device.json`: a JSON object padded with spaces.
  package var encoded: [UInt8] {
    var object = JSONObject()
    object["device"] = .string(device.text)
    if let machine { object["machine"] = .string(machine) }
    object["inode"] = .string(String(file.inode))
    if let birth = file.birth { object["birth"] = .string(String(birth)) }
    object["sequence"] = .number(JSONNumber(sequence))
    object["crc"] = .string(checksum.description)
    object["synced"] = .number(JSONNumber(syncedOffset))
    if let retirement { object["retired"] = .string(retirement.rawValue) }
    if !past.isEmpty { object["past"] = .array(past.map { .string($0.description) }) }
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    let padding = Self.blockBytes - 1 - bytes.count % Self.blockBytes
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: padding)
    bytes.append(0x0A)
    return bytes
  }

  /// Returns nil if `bytes` aren't a valid record, which means that a fresh ID is needed.
  package init?(encoded bytes: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      case .string(let deviceText)? = object["device"], let device = DeviceID(deviceText),
      case .string(let inodeText)? = object["inode"], let inode = UInt64(inodeText),
      case .number(let sequenceNumber)? = object["sequence"],
      let sequence = sequenceNumber.integer, sequence >= 0,
      case .string(let digits)? = object["crc"], let checksum = LineChecksum(text: digits.utf8)
    else { return nil }
    var machine: String?
    if case .string(let text)? = object["machine"] { machine = text }
    var birth: Int64?
    if case .string(let text)? = object["birth"] { birth = Int64(text) }
    self.init(
      device: device, machine: machine, file: FileIdentity(inode: inode, birth: birth),
      sequence: sequence, checksum: checksum)
    if case .number(let offset)? = object["synced"] { syncedOffset = max(0, offset.integer ?? 0) }
    switch object["retired"] {
    case nil, false?: break
    case .string(let text)?: retirement = Retirement(rawValue: text) ?? .doubtfulEnd
    // For any other value, the ID must not be used again.
    default: retirement = .doubtfulEnd
    }
    guard case .array(let values)? = object["past"] else { return }
    past = values.suffix(Self.pastMax).compactMap {
      if case .string(let text) = $0 { FullEventID(text) } else { nil }
    }
  }

  /// The last events that this copy is known to have synced, one for each of its devices.
  var written: [FullEventID] { past + (event.map { [$0] } ?? []) }

  /// The last own event that was synced, or nil before the first.
  var event: FullEventID? {
    sequence == 0
      ? nil : FullEventID(device: device, sequence: sequence, chain: checksum.chain)
  }
}
