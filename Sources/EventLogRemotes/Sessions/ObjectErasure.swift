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
      if replacements.contains(where: { $0.name == object.name }) { continue }
      guard let content = try await content(of: object),
        let bytes = Self.erased(content.bytes, erasures)
      else { continue }
      if isNamed, bytes == content.bytes { continue }
      if isNamed { try await storage.remove(object.name.text) }
      let name = RangeName(object.range, object.name.checksum, addition: addition)
      guard let put = try await put(bytes, as: name, erasures),
        try await storage.read(name.text) == put
      else { throw Self.notErased(object.name.text, storage) }
      if !isNamed { try await storage.remove(object.name.text) }
      forget(object)
      replacements.append(RangeObject(name: name, byteCount: Int64(put.count)))
    }
    return replacements
  }

  /// Puts a replacement.
  ///
  /// Its name may be taken: copies of a folder may bring together objects of devices that each knew
  /// of other erasures. Their statements may not have arrived here, so an event that is still whole
  /// in one of them stays whole.
  ///
  /// - Returns: The bytes of the object, or nil if it could not be put.
  private func put(
    _ bytes: [UInt8], as name: RangeName, _ erasures: Erasures
  ) async throws(EventLogError) -> [UInt8]? {
    if try await storage.put(name.text, bytes) { return bytes }
    guard let existing = try await storage.read(name.text) else { return nil }
    if existing == bytes { return bytes }
    guard RangeContent(name, existing) != nil else { return nil }
    let joined = ErasingLines.joined(bytes, Self.erased(existing, erasures) ?? existing)
    if joined == existing { return joined }
    try await storage.remove(name.text)
    return try await storage.put(name.text, joined) ? joined : nil
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
  /// For each line, the number of the members that are left of it, or nil if nothing was erased.
  private var memberCounts: [Int?] = []

  init(erasures: Erasures) { self.erasures = erasures }

  /// Joins two objects with the same events: of each line, the form of which more is left.
  static func joined(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var sinks = [ErasingLines(erasures: Erasures()), ErasingLines(erasures: Erasures())]
    for (index, bytes) in [left, right].enumerated() {
      var scanner = LineScanner()
      scanner.scanLines(bytes, into: &sinks[index])
    }
    let lines = [left, right].map { $0.split(separator: 0x0A) }
    guard lines.map(\.count) == sinks.map(\.memberCounts.count), lines[0].count == lines[1].count
    else { return left }
    return lines[0].indices.flatMap { index in
      let counts = sinks.map { $0.memberCounts[index] ?? .max }
      return lines[counts[1] > counts[0] ? 1 : 0][index] + [0x0A]
    }
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let extent = erasures.extents[FullEventID(layout, canonical)]
    let erased = extent.flatMap {
      ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: $0)
    }
    isErased = isErased || extent != nil
    // Nothing is left of a line that is erased as a whole, not even its version.
    let memberCount = layout.version == 0 ? -1 : layout.members.count
    memberCounts.append(layout.isErased ? memberCount : nil)
    if let erased { bytes += erased } else { line.append(to: &bytes) }
    bytes.append(0x0A)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
