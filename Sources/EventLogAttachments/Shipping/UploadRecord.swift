import EventLog

/// The parts at a place that this device has put or compared while it sent one content.
///
/// The next run needn't read these parts back, if the place has had them all the time. The record
/// is in the cache of the side folder. If it is missing or about another content, the run reads all
/// parts back.
struct UploadRecord: Sendable {
  private let sha256: String
  private let address: String
  private let side: SideFolder
  /// The offset, the size and the CRC-32C of each part.
  private var parts: Set<String> = []
  /// The parts in the file.
  private var keptParts: Set<String> = []

  private static let name = "upload"

  /// The record of an earlier run, or an empty one.
  ///
  /// - Parameter listed: The offsets of the parts that the place has. Others are forgotten: if they
  ///   appear again, they may be those of a damaged content.
  init(of sha256: String, at address: String, in side: SideFolder, listed: Set<Int64>) {
    (self.sha256, self.address, self.side) = (sha256, address, side)
    guard case .object(let object)? = side.kept(Self.name, in: Self.name, of: address),
      object["sha256"]?.plainText == sha256, case .array(let values)? = object["parts"]
    else { return }
    keptParts = Set(values.compactMap(\.plainText))
    parts = keptParts.filter { text in
      Int64(text.prefix { $0 != " " }).map(listed.contains) ?? false
    }
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
