extension JournalPass {
  /// Passes on a line without what is erased of its event, or skips it.
  ///
  /// - Returns: Whether nothing is left to do for the line.
  @inline(never)
  mutating func isErased(
    _ layout: LineLayout, _ canonical: Span<UInt8>, at position: LinePosition
  ) -> Bool {
    if isErasing { return false }
    if ledger.erasures.isReplaced(layout, canonical) {
      noteDuplicate(layout, canonical, at: position)
      return true
    }
    guard let extent = ledger.erasures.extent(of: layout, canonical),
      let bytes = ErasedLine.bytes(
        of: layout, canonical, byteCount: position.byteCount, extent: extent)
    else { return false }
    passOn(bytes, at: position)
    return true
  }

  /// Passes on the erased form of the current line.
  private mutating func passOn(_ bytes: [UInt8], at position: LinePosition) {
    if case .file = source { unerased[position.offset] = position }
    var scanner = LineScanner()
    isErasing = true
    scanner.scan(bytes + [0x0A], at: position, into: &self)
    isErasing = false
  }

  /// Passes on the line that an interrupted overwriting would have left in place of half a line.
  ///
  /// - Returns: Whether there is one.
  mutating func finish(_ line: Span<UInt8>, at position: LinePosition) -> Bool {
    guard let bytes = findings.overwrites[position.offset], !isErasing,
      ErasedLine.isForm(bytes, of: line.copy())
    else { return false }
    passOn(bytes, at: position)
    return true
  }

  /// Applies the erasures that were read, after the deferred lines.
  mutating func settleErasures() {
    if ledger.erasures.isOpen, ledger.erasures.settle(ledger) { ledger.mustReread = true }
    // The better line, in favor of which others were skipped, may have been erased since.
    let lost = ledger.erasures.restored.keys.filter { !ledger.holds($0) }
    for event in lost where restartCount < 16 {
      ledger.erasures.restored[event] = nil
      ledger.mustReread = true
    }
  }

  /// The damaged lines that show by their checksum that they contain an erased event, by their
  /// indices.
  var damagedErasedLines: [(index: Int, event: FullEventID)] {
    if ledger.erasures.extents.isEmpty || findings.failing.isEmpty { return [] }
    return findings.failing.enumerated().compactMap { index, line in
      guard !line.isCleared, !line.mayHideLines, let id = line.id else { return nil }
      return [line.checksum?.chain, line.resealed].compactMap { $0 }.lazy
        .map { FullEventID(device: id.device, sequence: id.sequence, chain: $0) }
        .first { ledger.erasures.extents[$0] == .whole }.map { (index, $0) }
    }
  }

  /// Adds a problem for each erased line that no `event.erased` names, unless its loss is
  /// acknowledged.
  func addUnnamedErasures(to report: inout JournalFindings) {
    if ledger.erasures.unnamed.isEmpty { return }
    let losses = AcknowledgedLosses(ledger)
    for (event, content) in ledger.erasures.unnamed where !losses.contains(event) {
      report.missing.append(EventRange(from: event.sequence, to: event))
      report.problemCount += 1
      report.problems.append(
        JournalProblem(
          code: .unnamedErasure, line: content.line, byte: content.byte,
          message: "\(ledger.shownID(of: event)) was erased here, but no event says so: its content"
            + " is missing. All other events count.",
          device: event.device.text, sequence: event.sequence))
    }
  }
}

extension ErasedLine {
  /// Returns the erased form of a line, or nil if it contains nothing that is erased.
  ///
  /// A part has no effect if the line has no room for its other members, so that the result doesn't
  /// depend on which of several parts is known first.
  package static func bytes(
    of layout: LineLayout, _ canonical: Span<UInt8>, byteCount: Int, extent: Erasures.Extent
  ) -> [UInt8]? {
    if layout.version == 0 || isKept(layout, canonical) { return nil }
    var members: Set<[UInt8]>?
    if case .members(let names) = extent {
      guard layout.version == 1,
        layout.members.contains(where: { names.contains(canonical.copy($0.name)) })
      else { return nil }
      members = names
    }
    return bytes(of: layout, canonical, byteCount: byteCount, without: members)
  }

  /// Whether bytes may be the erased form of a line, of which a part may have been overwritten.
  static func isForm(_ bytes: [UInt8], of line: [UInt8]) -> Bool {
    let tail = LineLimits.checksumTailBytes
    return bytes.count == line.count && bytes.suffix(tail) == line.suffix(tail)
  }

  /// Whether an event is never erased, because other events mean something else without it.
  package static func isKept(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard layout.version == 1 else { return false }
    return ["device.", "user."].contains { canonical.begins(layout.type, with: Array($0.utf8)) }
      || canonical.matches(layout.type, "event.erased")
      || canonical.matches(layout.type, "content.released")
  }
}
