extension ImageScan {
  /// Scans XMP, and overwrites properties of a position with spaces.
  ///
  /// Properties are attributes or elements. The reader is lenient, as readers of XMP are: XML that
  /// isn't well-formed is read as far as it has tags.
  mutating func scanXMP(_ region: ByteRegion) {
    let head = prefix(region, count: 4)
    if head.contains(0) || head.contains(0xFE) || head.contains(0xFF) {
      return report(.unreadable, region, "its XMP isn't UTF-8")
    }
    guard search(region, count: region.count) else { return }
    var reader = XMPReader(region)
    while edits.count < Self.editsMax, let byte = next(&reader) {
      if byte == UInt8(ascii: "<") { readMarkup(&reader) }
    }
    if edits.count == Self.editsMax { return reportTooManyEdits(region) }
    if let element = reader.element {
      report(.unreadable, region, at: element.start, "an XMP property has no end")
      blank(element.start..<region.count, &reader)
    }
    if let mention = reader.mention {
      report(.unreadable, region, at: mention, "its XMP mentions a position outside of properties")
    }
  }

  private mutating func next(_ reader: inout XMPReader) -> UInt8? {
    if reader.index == reader.block.count {
      reader.blockStart += Int64(reader.block.count)
      reader.block = prefix(reader.region, at: reader.blockStart, count: XMPReader.blockSize)
      reader.index = 0
      if reader.block.isEmpty { return nil }
    }
    return reader.take()
  }

  private mutating func blank(_ part: Range<Int64>, _ reader: inout XMPReader) {
    fill(reader.region, part, with: UInt8(ascii: " "))
    reader.forgetMentions(from: part.lowerBound)
  }

  /// Reads what begins with `<`.
  private mutating func readMarkup(_ reader: inout XMPReader) {
    let start = reader.offset - 1
    guard let first = next(&reader) else { return }
    switch first {
    case UInt8(ascii: "?"): skip("?>", &reader)
    case UInt8(ascii: "!"):
      let kind = next(&reader)
      if kind == UInt8(ascii: "-") {
        skip("-->", &reader)
      } else if kind == UInt8(ascii: "[") {
        skip("]]>", &reader)
      } else if kind != UInt8(ascii: ">") {
        skip(">", &reader)
      }
    case UInt8(ascii: "/"):
      let (name, last) = readName(from: nil, &reader)
      if last != UInt8(ascii: ">") { skip(">", &reader) }
      endElement(name, &reader)
    default: readTag(from: start, first, &reader)
    }
  }

  /// Reads up to and including `end`, which may begin with what has been read.
  private mutating func skip(_ end: String, _ reader: inout XMPReader) {
    let wanted = Array(end.utf8)
    var last: [UInt8] = []
    while let byte = next(&reader) {
      last.append(byte)
      if last.count > wanted.count { last.removeFirst() }
      if last == wanted { return }
    }
  }

  /// Reads a name, and returns it with the byte after it.
  private mutating func readName(
    from first: UInt8?, _ reader: inout XMPReader
  ) -> (name: XMPName, last: UInt8?) {
    var name = XMPName()
    if let first { name.append(first) }
    while let byte = next(&reader) {
      if XMPReader.endsName(byte) { return (name, byte) }
      name.append(byte)
    }
    return (name, nil)
  }

  // MARK: - Elements

  private mutating func readTag(from start: Int64, _ first: UInt8, _ reader: inout XMPReader) {
    var (name, last) = readName(from: first, &reader)
    var isEmpty = false
    while let byte = last, byte != UInt8(ascii: ">") {
      isEmpty = byte == UInt8(ascii: "/")
      if isEmpty || XMPReader.isSpace(byte) || byte == UInt8(ascii: "=") {
        last = next(&reader)
      } else {
        last = readAttribute(from: byte, &reader)
      }
    }
    if last == nil { isEmpty = false }
    if var element = reader.element {
      if !isEmpty, element.name == name { element.depth += 1 }
      reader.element = element
    } else if name.isPosition {
      if isEmpty {
        blank(start..<reader.offset, &reader)
      } else {
        reader.element = XMPReader.Element(name: name, start: start)
      }
    }
  }

  private mutating func endElement(_ name: XMPName, _ reader: inout XMPReader) {
    guard var element = reader.element, element.name == name else { return }
    element.depth -= 1
    reader.element = element
    if element.depth > 0 { return }
    blank(element.start..<reader.offset, &reader)
    reader.element = nil
  }

  // MARK: - Attributes

  /// Reads an attribute whose first byte is `first`, and returns the byte after it.
  private mutating func readAttribute(from first: UInt8, _ reader: inout XMPReader) -> UInt8? {
    let start = reader.offset - 1
    var (name, last) = readName(from: first, &reader)
    while let byte = last, XMPReader.isSpace(byte) { last = next(&reader) }
    guard last == UInt8(ascii: "=") else { return last }
    repeat { last = next(&reader) } while last.map(XMPReader.isSpace) == true
    guard let quote = last, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return last
    }
    repeat { last = next(&reader) } while last != nil && last != quote
    if name.isPosition, reader.element == nil {
      if last == nil {
        report(.unreadable, reader.region, at: start, "an XMP property has no end")
      }
      blank(start..<reader.offset, &reader)
    }
    return next(&reader)
  }
}
