import EventLog

/// The parts of one content that this device has put at a place, until the content is whole there.
///
/// The next run needn't read these parts back. The record is in the cache of the side folder. If it
/// is missing or about another content, the run reads all parts back.
struct UploadRecord: Sendable {
  private let sha256: String
  private let address: String
  private let side: SideFolder
  /// The offset, the size and the CRC-32C of each part.
  private var parts: Set<String> = []
  /// The parts in the file.
  private var keptParts: Set<String> = []

  private static let name = "upload"

  /// An empty record.
  init(_ sha256: String, at address: String, in side: SideFolder) {
    (self.sha256, self.address, self.side) = (sha256, address, side)
  }

  /// The record of an earlier run, or an empty one.
  init(reading sha256: String, at address: String, in side: SideFolder) {
    self.init(sha256, at: address, in: side)
    guard case .object(let object)? = side.kept(Self.name, in: Self.name, of: address),
      object["sha256"]?.plainText == sha256, case .array(let values)? = object["parts"]
    else { return }
    parts = Set(values.compactMap(\.plainText))
    keptParts = parts
  }

  func contains(_ step: UploadStep, _ checksum: UInt32) -> Bool {
    parts.contains(Self.text(step, checksum))
  }

  mutating func add(_ step: UploadStep, _ checksum: UInt32) {
    parts.insert(Self.text(step, checksum))
  }

  mutating func clear() { parts = [] }

  /// Writes the record if it has changed. A failure only slows down the next run.
  mutating func keep() {
    if parts == keptParts { return }
    keptParts = parts
    let values = parts.sorted().map { JSONValue.string($0) }
    side.keep(
      .object(["sha256": .string(sha256), "parts": .array(values)]), as: Self.name, in: Self.name,
      of: address)
  }

  private static func text(_ step: UploadStep, _ checksum: UInt32) -> String {
    "\(step.offset) \(step.byteCount) \(String(checksum, radix: 16))"
  }
}
