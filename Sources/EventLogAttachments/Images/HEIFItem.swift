/// An item of a HEIF file that may contain a position.
struct HEIFItem {
  enum Content {
    case exif
    case xmp
    /// A JPEG, for example a thumbnail, with segments of its own.
    case jpeg
  }

  let id: Int64
  let content: Content
  /// Whether it's encrypted or compressed.
  let isEncoded: Bool

  /// Returns nil if an `infe` box describes no such item.
  ///
  /// - Parameter info: The first bytes of the box's content; the rest is text without a use here.
  init?(info: [UInt8]) {
    guard info.count >= 8 else { return nil }
    let version = info[0]
    let idCount = version >= 3 ? 4 : 2
    id = info.offset(at: 4, count: idCount)
    let isProtected = info.unsigned(at: 4 + idCount, count: 2) != 0
    // Version 2 has added the type of an item. Older ones have only a media type.
    var type = "mime"
    var texts = info.dropFirst(6 + idCount)
    if version >= 2 {
      type = info.ascii(at: 6 + idCount, count: 4)
      texts = texts.dropFirst(4)
    }
    let fields = texts.split(separator: 0, omittingEmptySubsequences: false).dropFirst()
    let mediaType = String(decoding: fields.first ?? [], as: UTF8.self).lowercased()
    let encoding = fields.dropFirst().first ?? []
    switch type {
    case "Exif": content = .exif
    case "jpeg": content = .jpeg
    case "mime" where mediaType == "application/rdf+xml": content = .xmp
    case "mime" where mediaType == "image/jpeg": content = .jpeg
    default: return nil
    }
    isEncoded = isProtected || type == "mime" && !encoding.isEmpty
  }
}

/// The sizes of the fields of an `iloc` box.
struct HEIFLocationLayout {
  let version: UInt8
  let offsetSize: Int
  let lengthSize: Int
  let baseSize: Int
  let indexSize: Int
  let itemCount: Int64
  /// The offset of the first item.
  let start: Int64

  /// Returns nil for an unknown version, and for sizes that aren't allowed.
  init?(_ head: [UInt8]) {
    guard head.count >= 8, head[0] <= 2 else { return nil }
    version = head[0]
    (offsetSize, lengthSize) = (Int(head[4] >> 4), Int(head[4] & 0xF))
    (baseSize, indexSize) = (Int(head[5] >> 4), version == 0 ? 0 : Int(head[5] & 0xF))
    guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy([0, 4, 8].contains) else {
      return nil
    }
    itemCount = head.offset(at: 6, count: version == 2 ? 4 : 2)
    start = version == 2 ? 10 : 8
  }

  /// The length of an item's fields before its extents.
  var itemSize: Int { (version == 2 ? 4 : 2) + (version == 0 ? 0 : 2) + 2 + baseSize + 2 }
  var extentSize: Int { indexSize + offsetSize + lengthSize }
}

/// An item's fields in an `iloc` box before its extents.
struct HEIFLocation {
  let id: Int64
  let method: UInt64
  let dataReference: UInt64
  let base: UInt64
  let extentCount: Int

  init(_ bytes: [UInt8], _ layout: HEIFLocationLayout) {
    var index = layout.version == 2 ? 4 : 2
    id = bytes.offset(at: 0, count: index)
    method = layout.version == 0 ? 0 : bytes.unsigned(at: index, count: 2) & 0xF
    if layout.version > 0 { index += 2 }
    dataReference = bytes.unsigned(at: index, count: 2)
    base = bytes.unsigned(at: index + 2, count: layout.baseSize)
    extentCount = Int(bytes.unsigned(at: index + 2 + layout.baseSize, count: 2))
  }
}
