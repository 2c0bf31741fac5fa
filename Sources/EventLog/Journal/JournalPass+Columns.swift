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
    encoder.write(Int64(lastGoodChecksum.line))
    encoder.write(Int64(lastGoodChecksum.chain))
    problems.encode(into: &encoder)
  }

  /// A pass that goes on where another one ended, behind a good line with its LF.
  package init(
    from decoder: inout ColumnDecoder, ledger: Ledger, sink: Sink
  ) throws(ColumnFault) {
    self.init(sink: sink)
    self.ledger = ledger
    isResumed = true
    endOffset = Int64(try decoder.count())
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
    lastGoodChecksum = LineChecksum(
      line: UInt32(try decoder.number(in: 0...Int64(UInt32.max))),
      chain: UInt32(try decoder.number(in: 0...Int64(UInt32.max))))
    problems = try ProblemLog(from: &decoder)
  }
}

extension ProblemLog {
  fileprivate func encode(into encoder: inout ColumnEncoder) {
    encoder.write(count)
    encoder.write(damageCount)
    // The first damage may stand behind all that was kept.
    let all = kept + (firstDamage.map { [$0] } ?? [])
    encoder.write(kept.count)
    encoder.write(all.count)
    for problem in all { problem.encode(into: &encoder) }
  }

  fileprivate init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    self.init()
    count = try decoder.count()
    damageCount = try decoder.count()
    let keptCount = Int(try decoder.number(in: 0...Int64(min(Self.keptMax, count))))
    let allCount = Int(try decoder.number(in: Int64(keptCount)...Int64(keptCount + 1)))
    for _ in 0..<keptCount { kept.append(try JournalProblem(from: &decoder)) }
    if allCount > keptCount { firstDamage = try JournalProblem(from: &decoder) }
    guard damageCount <= count, (damageCount > 0) == (firstDamage != nil) else {
      throw ColumnFault()
    }
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
      .gap, .outOfOrder, .repeatedLine, .fork, .chainMismatch, .unseenEvent, .staleSeen,
      .notJoined, .otherUser, .doubtfulTail,
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
