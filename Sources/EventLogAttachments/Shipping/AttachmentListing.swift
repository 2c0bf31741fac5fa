import EventLog
import EventLogRemotes

/// The parts of attachments that a place lists.
struct AttachmentListing: Sendable {
  /// By content, the size of the first part. Most contents have only one.
  private var firstSizes: [String: Int64] = [:]
  /// By content, the sizes of the other parts by their offsets.
  private var otherSizes: [String: [Int64: Int64]] = [:]

  /// The maximum number of listed objects. A longer or endless listing is an error.
  private static let countMax = 1 << 22

  init() {}

  /// Lists a place.
  ///
  /// - Throws: The error of the storage; `remoteFailed` for a listing without an end.
  init(of storage: any ObjectStorage) async throws(EventLogError) {
    var (last, count) = (String?.none, 0)
    while true {
      let page = try await storage.page(after: last)
      for object in page.objects {
        guard let part = AttachmentPart(object.name), object.byteCount > 0 else { continue }
        add(part, bytes: object.byteCount)
      }
      count += page.objects.count
      guard !page.isLast, let end = page.objects.last?.name else { return }
      guard last.map({ $0.precedes(end) }) ?? true, count <= Self.countMax else {
        throw EventLogError(
          remoteFailed: "The listing of \"\(storage.address)\" doesn't end. Nothing was changed.")
      }
      last = end
      try EventLogError.checkCancellation()
    }
  }

  /// Lists the parts of one attachment.
  ///
  /// - Throws: The error of the storage.
  init(of storage: any ObjectStorage, only attachment: Attachment) async throws(EventLogError) {
    var last = attachment.sha256
    while true {
      let page = try await storage.page(after: last)
      for object in page.objects {
        guard object.name.hasPrefix(attachment.sha256) else { return }
        // Another program may have put a copy of a part beside it.
        if let part = AttachmentPart(object.name) { add(part, bytes: object.byteCount) }
      }
      guard !page.isLast, let end = page.objects.last?.name, last.precedes(end) else { return }
      last = end
    }
  }

  mutating func add(_ part: AttachmentPart, bytes: Int64) {
    if part.offset == 0 {
      firstSizes[part.sha256] = bytes
    } else {
      otherSizes[part.sha256, default: [:]][part.offset] = bytes
    }
  }

  /// The size of the part at an offset, or nil if there is none inside of the attachment.
  func size(at offset: Int64, of attachment: Attachment) -> Int64? {
    let hash = attachment.sha256
    let listed = offset == 0 ? firstSizes[hash] : otherSizes[hash]?[offset]
    guard let size = listed, size > 0, size <= attachment.bytes - offset else { return nil }
    return size
  }

  /// The ends of consecutive parts from the beginning, as far as there are any.
  func ends(of attachment: Attachment) -> [Int64] {
    var (ends, end) = ([Int64](), Int64(0))
    while let size = size(at: end, of: attachment) {
      end += size
      ends.append(end)
    }
    return ends
  }

  /// The contents with parts, sorted.
  var contents: [String] { Set(firstSizes.keys).union(otherSizes.keys).sorted() }

  /// All parts of a content, the first one first.
  func parts(of sha256: String) -> [AttachmentPart] {
    let first: [Int64] = firstSizes[sha256] == nil ? [] : [0]
    let offsets = first + (otherSizes[sha256] ?? [:]).keys.sorted()
    return offsets.map { AttachmentPart(sha256, at: $0) }
  }

  mutating func remove(_ part: AttachmentPart) {
    if part.offset == 0 {
      firstSizes[part.sha256] = nil
    } else {
      otherSizes[part.sha256]?[part.offset] = nil
    }
  }

  mutating func remove(_ sha256: String) {
    firstSizes[sha256] = nil
    otherSizes[sha256] = nil
  }

  /// Whether the place has all parts. An empty content needs none.
  func isWhole(_ attachment: Attachment) -> Bool {
    attachment.bytes == 0 || ends(of: attachment).last == attachment.bytes
  }
}
