extension ImageScan {
  /// Scans a PNG, and what follows its last chunk.
  mutating func scanPNG(_ region: ByteRegion) {
    var offset = Int64(PNG.signature.count)
    while offset < region.count, visitPart(region, at: offset) {
      let head = prefix(region, at: offset, count: 8)
      let length = head.offset(at: 0)
      guard head.count == 8, region.range(at: offset + 8, count: length + 4) != nil else {
        return report(.unreadable, region, at: offset, "a chunk is longer than the file")
      }
      let chunk = PNG.Chunk(
        type: head.ascii(at: 4, count: 4),
        content: region.part(offset + 4..<offset + 8 + length), checksumOffset: offset + 8 + length)
      offset += 8 + length + 4
      if chunk.type == "IEND" { return scanTrailer(region, from: offset) }
      let before = edits.count
      scan(chunk)
      if edits.count > before { updateChecksum(of: chunk, region, Array(edits[before...])) }
    }
  }

  private mutating func scan(_ chunk: PNG.Chunk) {
    switch chunk.type {
    case "eXIf": scanProfile(chunk.data)
    // A draft of eXIf, compressed.
    case "zxIf", "zXIf": blank(chunk)
    case "tEXt", "zTXt", "iTXt": scanText(chunk)
    default: break
    }
  }

  /// Scans metadata that may begin with the signature of a JPEG's segment.
  mutating func scanProfile(_ region: ByteRegion) {
    let head = prefix(region, count: JPEG.xmpSignature.count)
    if head.starts(with: JPEG.exifSignature) {
      scanTIFF(region.part(from: JPEG.exifSignatureCount), depth: 0)
    } else if head.starts(with: JPEG.xmpSignature) {
      scanXMP(region.part(from: Int64(JPEG.xmpSignature.count)))
    } else {
      scanTIFF(region, depth: 0)
    }
  }

  /// Makes a chunk an unused one of zeros.
  private mutating func blank(_ chunk: PNG.Chunk) {
    overwrite(chunk.content, at: 0, PNG.unusedType)
    fill(chunk.content, PNG.Chunk.typeCount..<chunk.content.count, with: 0)
  }

  /// Writes the checksum of a chunk with its edits.
  private mutating func updateChecksum(
    of chunk: PNG.Chunk, _ region: ByteRegion, _ edits: [ByteEdit]
  ) {
    guard search(chunk.content, count: chunk.content.count) else { return }
    let ordered = edits.disjoint()
    var next = 0
    var checksum = CRC32()
    var offset: Int64 = 0
    while offset < chunk.content.count {
      var block = prefix(chunk.content, at: offset, count: 64 << 10)
      // The file may have become shorter.
      if block.isEmpty { return }
      let start = chunk.content.start + offset
      while next < ordered.count, ordered[next].range.lowerBound < start + Int64(block.count) {
        ordered[next].apply(to: &block, at: start)
        if ordered[next].range.upperBound > start + Int64(block.count) { break }
        next += 1
      }
      checksum.update(block)
      offset += Int64(block.count)
    }
    overwrite(region, at: chunk.checksumOffset, ByteOrder.bigEndian.bytes(checksum.value))
  }

  // MARK: - Text

  private mutating func scanText(_ chunk: PNG.Chunk) {
    // A keyword has at most 79 bytes.
    let head = prefix(chunk.data, count: 80)
    guard let end = head.firstIndex(of: 0),
      let kind = PNG.TextKind(keyword: head.ascii(at: 0, count: end))
    else { return }
    var text = chunk.data.part(from: Int64(end + 1))
    var isCompressed = chunk.type == "zTXt"
    if chunk.type == "iTXt" {
      isCompressed = prefix(text, count: 1) == [1]
      guard let start = internationalTextStart(text) else { return blank(chunk) }
      text = text.part(from: start)
    }
    switch kind {
    case .xmp where !isCompressed: scanXMP(text)
    case .profile where !isCompressed: scanHexProfile(text, of: chunk)
    default: blank(chunk)
    }
  }

  /// Returns where the text begins, after the flag and the method of compression, a language and a
  /// translated keyword.
  private mutating func internationalTextStart(_ region: ByteRegion) -> Int64? {
    let head = prefix(region, count: 1024)
    guard head.count >= 2, let language = head[2...].firstIndex(of: 0),
      let keyword = head[(language + 1)...].firstIndex(of: 0)
    else { return nil }
    return Int64(keyword + 1)
  }

  private mutating func scanHexProfile(_ text: ByteRegion, of chunk: PNG.Chunk) {
    guard text.count <= HexProfile.byteCountMax else { return blank(chunk) }
    guard let profile = HexProfile(prefix(text, count: Int(text.count)), in: text) else {
      return blank(chunk)
    }
    let bytes = profile.bytes
    var inner = ImageScan(byteCount: Int64(bytes.count)) { offset, count in
      Array(bytes[Int(offset)..<Int(offset) + count])
    }
    if profile.isXMP { inner.scanXMP(inner.file) } else { inner.scanProfile(inner.file) }
    report(inner.fault, in: text)
    for edit in inner.edits.disjoint() {
      let digits = edit.range.flatMap { HexProfile.digits(of: edit[$0]) }
      overwrite(profile.digits, at: 2 * edit.range.lowerBound, digits)
    }
  }
}
