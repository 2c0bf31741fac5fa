extension JournalPass {
  /// Writes what a reading needs that goes on here, without ledger and sink.
  package func encode(into encoder: inout ColumnEncoder) {
    encoder.write(endOffset)
    encoder.write(nextLineNumber)
    encoder.write(lineCount)
    // How many depends on where readings stopped; what counts is whether there were any.
    encoder.write(min(slowLineCount, 1))
    encoder.write(lastGood?.number ?? 0)
    encoder.write(lastGood?.offset ?? 0)
    encoder.write(lastGood?.byteCount ?? 0)
    encoder.write(lastGood?.endOffset ?? 0)
    findings.encode(into: &encoder)
  }

  /// A pass that goes on where another one ended, behind a good line with its LF.
  package init(
    from decoder: inout ColumnDecoder, ledger: Ledger, sink: Sink, blank: Sink
  ) throws(ColumnFault) {
    self.init(sink: blank)
    self.sink = sink
    self.ledger = ledger
    isResumed = true
    endOffset = Int64(try decoder.count())
    checkpointOffset = endOffset
    nextLineNumber = try decoder.count()
    lineCount = try decoder.count()
    slowLineCount = try decoder.count()
    let last = LinePosition(
      number: try decoder.count(), offset: Int64(try decoder.count()),
      byteCount: try decoder.count(), endOffset: Int64(try decoder.count()), isTerminated: true)
    guard last.number < nextLineNumber, last.offset + Int64(last.byteCount) < last.endOffset,
      last.endOffset <= endOffset
    else { throw ColumnFault() }
    lastGood = last
    findings = try FindingLog(from: &decoder)
  }
}

extension FindingLog {
  fileprivate func encode(into encoder: inout ColumnEncoder) {
    encoder.write(failingCount)
    encoder.write(failing.count)
    for line in failing { line.encode(into: &encoder) }
    encoder.write(refusedCount)
    encoder.write(refused.count)
    for problem in refused { problem.encode(into: &encoder) }
    encoder.write(noteCount)
    encoder.write(notes.count)
    for note in notes { note.encode(into: &encoder) }
  }

  fileprivate init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    self.init()
    let most = Int64(Self.keptMax)
    failingCount = try decoder.count()
    for _ in 0..<(try decoder.number(in: 0...min(most, Int64(failingCount)))) {
      failing.append(try FailingLine(from: &decoder))
    }
    refusedCount = try decoder.count()
    for _ in 0..<(try decoder.number(in: 0...min(most, Int64(refusedCount)))) {
      refused.append(try JournalProblem(from: &decoder))
    }
    noteCount = try decoder.count()
    for _ in 0..<(try decoder.number(in: 0...min(most, Int64(noteCount)))) {
      notes.append(try JournalProblem(from: &decoder))
    }
  }
}

extension FailingLine {
  fileprivate func encode(into encoder: inout ColumnEncoder) {
    encoder.write(text: code.rawValue)
    encoder.write(text: clause)
    encoder.write(line)
    encoder.write(offset)
    encoder.write(byte)
    encoder.write(Int64(content))
    encoder.write(optional: id?.description)
    encoder.write(optional: checksum?.text)
    encoder.write(optional: resealed.map(ChainDigits.text))
    encoder.write(mayHideLines)
  }

  fileprivate init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    guard let code = LineFault.Code(rawValue: try decoder.text()) else { throw ColumnFault() }
    self.init(
      code: code, clause: try decoder.text(), line: try decoder.count(),
      offset: Int64(try decoder.count()), byte: Int64(try decoder.count()),
      content: UInt32(try decoder.number(in: 0...Int64(UInt32.max))),
      id: try decoder.optionalText().flatMap { EventID($0) },
      checksum: try decoder.optionalText().flatMap { LineChecksum($0) },
      resealed: try decoder.optionalText().flatMap { ChainDigits.value($0.utf8) },
      mayHideLines: try decoder.flag())
  }
}

extension JournalProblem {
  fileprivate func encode(into encoder: inout ColumnEncoder) {
    encoder.write(text: code.text)
    encoder.write(line)
    encoder.write(byte)
    encoder.write(text: message)
    encoder.write(optional: device)
    encoder.write(sequence ?? 0)
  }

  fileprivate init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    guard let code = Code(text: try decoder.text()) else { throw ColumnFault() }
    self.init(
      code: code, line: try decoder.count(), byte: Int64(try decoder.count()),
      message: try decoder.text(), device: try decoder.optionalText(),
      sequence: { $0 == 0 ? nil : Int64($0) }(try decoder.count()))
  }
}

extension JournalProblem.Code {
  /// The code that ``text`` spells; nil for any other text.
  fileprivate init?(text: String) {
    let plain: [Self] = [
      .gap, .notJoined, .otherUser, .otherThanStated, .doubtfulTail,
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
