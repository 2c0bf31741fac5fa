import EventLog

extension ObjectIndex {
  /// Replaces the objects that contain lines of erased events.
  ///
  /// The name of a replacement has a digest of what is erased of its events, so that it needn't be
  /// read again. An object is removed only after its replacement was put and read back. A device
  /// that knows of further erasures replaces it once more.
  ///
  /// - Parameter written: The objects that this run has put.
  /// - Returns: The replacements.
  func erase(
    _ erasures: Erasures, written: [RangeObject]
  ) async throws(EventLogError) -> [RangeObject] {
    if erasures.extents.isEmpty { return [] }
    let events = Dictionary(grouping: erasures.extents.keys, by: \.device)
      .mapValues { $0.sorted() }
    var replacements: [RangeObject] = []
    for object in catalog.objects + written {
      let all = events[object.range.device] ?? []
      let first = all.partitioningIndex { $0.sequence >= object.range.first }
      let named = all[first...].prefix { $0.sequence <= object.range.last }
      if named.isEmpty { continue }
      let addition = Self.addition(of: named, erasures)
      let isNamed = object.name.text.utf8.elementsEqual(
        "\(object.nameStem)\(addition).jsonl".utf8)
      // Another program may have put the original back, so each object is read once.
      if isNamed, knownBefore.contains(object.key) { continue }
      guard let content = try await content(of: object),
        let bytes = Self.erased(content.bytes, erasures)
      else { continue }
      if isNamed, bytes == content.bytes { continue }
      if isNamed { try await storage.remove(object.name.text) }
      let name = RangeName(object.range, object.name.checksum, addition: addition)
      let isStored = try await storage.put(
        bytes, as: { name.text }, or: { $0 == bytes }, choosing: {})
      guard isStored, try await storage.read(name.text) == bytes else {
        throw Self.notErased(object.name.text, storage)
      }
      if !isNamed { try await storage.remove(object.name.text) }
      forget(object)
      replacements.append(RangeObject(name: name, byteCount: Int64(bytes.count)))
    }
    return replacements
  }

  /// The addition to the name of an object in which these events are erased.
  private static func addition(of events: ArraySlice<FullEventID>, _ erasures: Erasures) -> String {
    var text = ""
    for event in events {
      text += event.description
      if case .members(let names)? = erasures.extents[event] {
        for name in names.sorted(by: { $0.precedes($1) }) {
          text += " \(String(decoding: name, as: UTF8.self))"
        }
      }
      text += "\n"
    }
    return "\(RangeObject.erasedMark)\(ChainDigits.text(CRC32C.checksum(Array(text.utf8))))"
  }

  /// Returns the lines with the erased ones in their erased form, or nil if none is erased.
  private static func erased(_ lines: [UInt8], _ erasures: Erasures) -> [UInt8]? {
    var sink = ErasingLines(erasures: erasures)
    var scanner = LineScanner()
    scanner.scanLines(lines, into: &sink)
    return sink.isErased && sink.bytes.count == lines.count ? sink.bytes : nil
  }

  private static func notErased(_ name: String, _ storage: any ObjectStorage) -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(name)\" in \"\(storage.address)\" contains erased events and could not be replaced. It"
        + " was kept, and the next sync tries again.",
      hint: "Check that the place can be written to.")
  }
}

/// Copies lines, the erased ones in their erased form.
private struct ErasingLines: LineSink {
  let erasures: Erasures
  var bytes: [UInt8] = []
  /// Whether a line is erased, before or now.
  var isErased = false

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let extent = erasures.extents[FullEventID(layout, canonical)]
    let erased = extent.flatMap {
      ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: $0)
    }
    isErased = isErased || extent != nil
    if let erased { bytes += erased } else { line.append(to: &bytes) }
    bytes.append(0x0A)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
