/// One reading of a journal, from its beginning or from where an earlier one ended: puts the ledger
/// between the lines and a sink.
package struct JournalPass<Sink: EventSink>: LineSink {
  package var ledger: Ledger
  package var sink: Sink
  package var problems = ProblemLog()
  /// The first byte behind the last line with an LF, blank ones included: where an append goes.
  package var endOffset: Int64 = 0
  /// The number of the line that would begin there.
  package var nextLineNumber = 1
  /// The last good line.
  package var lastGood: LinePosition?
  package var lastGoodChecksum = LineChecksum(line: 0, chain: 0)
  /// The event to look out for, and what was found of it.
  package var watched: WatchedEvent?
  /// Lines whose sequence had passed, for a second look.
  package var suspects: [Suspect] = []
  package var lineCount = 0
  /// How many lines were not in canonical spelling, failing ones included.
  package var slowLineCount = 0
  /// Whether the next failing line ends the reading instead of being reported.
  var stopsAtFault = false
  /// The failing line that ended it.
  var stoppedAt: LinePosition?
  package var isStopped: Bool { stoppedAt != nil || sink.isFull }
  /// Whether it began behind the first line, with what a checkpoint tells of those before: their
  /// bytes were then not looked at.
  package internal(set) var isResumed = false

  /// An event whose place and checksum somebody wants to know.
  package struct WatchedEvent: Sendable {
    package var device: String
    package var sequence: Int64
    package var found: LineChecksum?
    package var offset: Int64 = 0
    package var endOffset: Int64 = 0
  }

  /// A line whose ID was used before, or whose place has passed.
  package struct Suspect: Sendable {
    package var position: LinePosition
    package var device: Int
    package var sequence: Int64
    package var checksum: LineChecksum
  }

  package init(sink: Sink, trusting isTrusting: Bool = false) {
    self.sink = sink
    ledger = Ledger(trusting: isTrusting)
  }

  @inline(__always)
  package func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    // Two events with one `was` are compared by what they say.
    !layout.was.isEmpty || sink.wantsData(layout, canonical: canonical)
  }

  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    lineCount &+= 1
    lastGood = position
    lastGoodChecksum = layout.checksum
    var problem: JournalProblem.Code?
    let admission = ledger.admit(layout, canonical: canonical, problem: &problem)
    switch admission {
    case .passed(let device):
      suspects.append(
        Suspect(
          position: position, device: device, sequence: layout.sequence,
          checksum: layout.checksum))
    case .applied(let device), .repeated(let device):
      if let problem { add(problem, device: device, sequence: layout.sequence, at: position) }
      if layout.version == 1, canonical.matches(layout.type, "user.adopted"),
        !ledger.devices[device].isStopped
      {
        ledger.adopt(layout, canonical: canonical)
      }
      if watched != nil { watch(layout, device: device, at: position) }
      ledger.index.add(device, layout.sequence, at: position.offset)
      if case .repeated = admission {
        return sink.applyRepeated(
          layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
      }
      sink.apply(
        layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
    }
  }

  package mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    if stopsAtFault {
      stoppedAt = position
      return
    }
    lineCount += 1
    let id = Self.remainingID(of: line)
    problems.add(
      JournalProblem(
        code: .line(fault.code), line: position.number, byte: position.offset + Int64(fault.byte),
        message: "The line \(fault.clause); its event is missing here.",
        device: id?.device.text, sequence: id?.sequence))
  }

  @inline(never)
  private mutating func watch(_ layout: LineLayout, device: Int, at position: LinePosition) {
    guard let watched, layout.sequence == watched.sequence,
      ledger.name(device) == watched.device
    else { return }
    self.watched?.found = layout.checksum
    self.watched?.offset = position.offset
    self.watched?.endOffset = position.endOffset
  }

  @inline(never)
  package mutating func add(
    _ code: JournalProblem.Code, device: Int, sequence: Int64, at position: LinePosition
  ) {
    let name = ledger.name(device)
    let id = "\(name):\(sequence)"
    let rest = "Events of \(name) from here on are readable, but not counted as held."
    let message =
      switch code {
      case .gap: "\(id) stands here, but the event before it is missing. \(rest)"
      case .chainMismatch: "\(id) does not continue the event before it. \(rest)"
      case .unseenEvent: "\(id) has seen an event that is not held before it. \(rest)"
      case .staleSeen: "\(id) states in seen what was stated before. \(rest)"
      case .notJoined: "\(name) begins without a device.joined. \(rest)"
      case .otherUser: "\(name) joined as another user. \(rest)"
      case .outOfOrder: "\(id) stands behind its place; it is not applied."
      case .repeatedLine: "\(id) stands here a second time; it counts once."
      case .fork: "\(id) names two different events; the first one counts."
      default: id
      }
    problems.add(
      JournalProblem(
        code: code, line: position.number, byte: position.offset, message: message, device: name,
        sequence: sequence))
  }

  /// What a damaged line still says of its ID, if it begins as a writer would begin it.
  private static func remainingID(of line: Span<UInt8>) -> EventID? {
    let start = line.copy(ByteRange(0, min(line.count, 96)))
    guard start.starts(with: #"{"id":""#.utf8) else { return nil }
    let text = start.dropFirst(7).prefix { $0 != UInt8(ascii: "\"") }
    return EventID(String(decoding: text, as: UTF8.self))
  }
}

extension JournalPass: Sendable where Sink: Sendable {}
