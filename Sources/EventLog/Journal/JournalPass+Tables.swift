extension JournalPass {
  /// The state of a reading that can be continued, without its ledger and sink.
  package var bytes: [UInt8] {
    var pass = self
    return TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try pass.forEachTable(&visitor)
    }
  }

  /// Creates a pass that continues after another one, which ended after a valid line with its LF.
  package init(
    from bytes: ArraySlice<UInt8>, ledger: Ledger, sink: Sink, blank: Sink
  ) throws(ColumnFault) {
    self.init(sink: blank)
    self.sink = sink
    self.ledger = ledger
    isResumed = true
    let start = self
    self = try TableVisitor.read(bytes) { (visitor) throws(ColumnFault) in
      var pass = start
      try pass.forEachTable(&visitor)
      return pass
    }
    checkpointOffset = endOffset
  }

  private mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    try visitor.number(&endOffset)
    try visitor.number(&nextLineNumber)
    try visitor.number(&lineCount)
    // The exact number depends on where readings stopped, so store only whether it is positive.
    var hasSlowLines = slowLineCount > 0
    try visitor.flag(&hasSlowLines)
    slowLineCount = hasSlowLines ? 1 : 0
    var last =
      lastGood ?? LinePosition(number: 0, offset: 0, byteCount: 0, endOffset: 0, isTerminated: true)
    try visitor.number(&last.number)
    try visitor.number(&last.offset)
    try visitor.number(&last.byteCount)
    try visitor.number(&last.endOffset)
    try findings.forEachTable(&visitor)
    guard visitor.isReading else { return }
    guard last.number < nextLineNumber, last.offset + Int64(last.byteCount) < last.endOffset,
      last.endOffset <= endOffset
    else { throw ColumnFault() }
    lastGood = last
  }
}

extension FindingLog {
  fileprivate mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    let blank = JournalProblem(
      code: .gap, line: 0, byte: 0, message: "", device: nil, sequence: nil)
    try visitor.number(&failingCount)
    try visitor.list(
      &failing, FailingLine.blank, upTo: min(Self.keptMax, failingCount)
    ) { (line, visitor) throws(ColumnFault) in try line.visit(&visitor) }
    try visitor.number(&refusedCount)
    try visitor.list(
      &refused, blank, upTo: min(Self.keptMax, refusedCount)
    ) { (problem, visitor) throws(ColumnFault) in try problem.visit(&visitor) }
    try visitor.number(&noteCount)
    try visitor.list(
      &notes, blank, upTo: min(Self.keptMax, noteCount)
    ) { (problem, visitor) throws(ColumnFault) in try problem.visit(&visitor) }
  }
}

extension FailingLine {
  fileprivate static let blank = FailingLine(
    code: .malformed, clause: "", line: 0, offset: 0, byte: 0, content: 0, id: nil, checksum: nil,
    resealed: nil, mayHideLines: false)

  fileprivate mutating func visit(_ visitor: inout TableVisitor) throws(ColumnFault) {
    try visitor.spelled(&code, \.rawValue, { LineFault.Code(rawValue: $0) })
    try visitor.text(&clause)
    try visitor.number(&line)
    try visitor.number(&offset)
    try visitor.number(&byte)
    try visitor.number(&content, in: 0...Int64(UInt32.max))
    try visitor.optional(&id, \.description, { EventID($0) })
    try visitor.optional(&checksum, \.description, { LineChecksum(text: $0.utf8) })
    try visitor.optional(&resealed, ChainDigits.text, { ChainDigits.value($0.utf8) })
    try visitor.flag(&mayHideLines)
  }
}

extension JournalProblem {
  fileprivate mutating func visit(_ visitor: inout TableVisitor) throws(ColumnFault) {
    var (code, line, byte, message) = (code, line, byte, message)
    var (device, sequence) = (device, sequence ?? 0)
    try visitor.spelled(&code, \.text, { Code(text: $0) })
    try visitor.number(&line)
    try visitor.number(&byte)
    try visitor.text(&message)
    try visitor.text(&device)
    try visitor.number(&sequence)
    self = JournalProblem(
      code: code, line: line, byte: byte, message: message, device: device,
      sequence: sequence == 0 ? nil : sequence)
  }
}

extension JournalProblem.Code {
  /// Creates the code with this ``text``, or nil for any other text.
  fileprivate init?(text: String) {
    let plain: [Self] = [
      .gap, .notJoined, .otherUser, .unnamedErasure, .otherThanStated, .doubtfulTail,
    ]
    if let code = plain.first(where: { $0.text == text }) {
      self = code
    } else if let code = LineFault.Code(rawValue: text) {
      self = .line(code)
    } else if let note = JournalProblem.Note(rawValue: text) {
      self = .note(note)
    } else {
      return nil
    }
  }
}
