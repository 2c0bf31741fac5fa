package import EventLog

/// Reads a journal to its end, and later on from there, even if the file was replaced in between.
///
/// It blocks on the disk. Each event is delivered once, in the order of its first appearance.
package struct JournalFollower {
  /// The result of one step.
  package struct Step: Sendable {
    package var events: [(event: Event, line: [UInt8])] = []
    /// Whether there are no more events for now.
    package var isAtEnd = false
  }

  private let path: String
  private let fileSystem: any FileSystem
  private let side: SideFolder
  private var file: JournalFile?
  @Boxed private var pass = JournalPass(sink: FollowedEvents())
  private var mark: ResumePoint?
  private var hasBegun = false
  /// The end of the file at the last step.
  package private(set) var end = JournalReading.End()

  /// The time to wait for a batch that is being written.
  private static let lockWaitMilliseconds: Int64 = 1000

  package init(path: String, fileSystem: any FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
    side = SideFolder(beside: path, fileSystem: fileSystem)
  }

  /// The problems and notes found so far.
  package var findings: JournalFindings { pass.report }

  /// Closes the file.
  package mutating func close() {
    file?.close()
    file = nil
  }

  /// Reads a bounded number of new events.
  ///
  /// - Throws: `inputOutput`. Only at the first step: `noJournal` and `notAJournal`. Later steps
  ///   wait for the file.
  package mutating func next() throws(EventLogError) -> Step {
    while true {
      guard let file = try openIfNeeded() else {
        // Also events of a file that was removed after it was read.
        return Step(events: pass.sink.takeEvents(), isAtEnd: true)
      }
      // Check this before reading, so that a replaced file is read to its end.
      let isCurrent = file.isCurrent
      try readOn(file)
      if end.isPaused { return Step(events: pass.sink.takeEvents()) }
      // A last line without LF would be read twice.
      mark =
        end.lacksLineFeed
        ? nil
        : ResumePoint(
          after: pass.lastGood, endingAt: pass.endOffset, of: file.descriptor, in: fileSystem)
      if isCurrent { return Step(events: pass.sink.takeEvents(), isAtEnd: true) }
      close()
    }
  }

  private mutating func openIfNeeded() throws(EventLogError) -> JournalFile? {
    if let file { return file }
    do throws(EventLogError) {
      file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    } catch {
      guard hasBegun, error.code == .noJournal else { throw error }
      return nil
    }
    mark = nil
    return file
  }

  private mutating func readOn(_ file: JournalFile) throws(EventLogError) {
    let status = try file.status
    let identity = DeviceRecord.FileIdentity(status)
    let mustReload =
      !end.isPaused
      && mark?.stands(in: file.descriptor, of: fileSystem, size: status.size) != true
    if mustReload {
      var sink = pass.sink
      sink.isFull = false
      pass = JournalPass(sink: sink)
    }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    try read(reading, identity)
    // A batch that is being written looks like a doubtful end. Under the lock, it is complete.
    if end.doubtfulTail != nil, !end.isPaused,
      (try? file.lock(exclusive: false, milliseconds: Self.lockWaitMilliseconds)) == true
    {
      defer { file.unlock() }
      try read(reading, identity)
    }
    if !hasBegun, end.isForeign {
      throw JournalWriter<FollowedEvents>.notAJournal(path, end.record)
    }
    hasBegun = true
  }

  private mutating func read(
    _ reading: JournalReading, _ identity: DeviceRecord.FileIdentity
  ) throws(EventLogError) {
    end = try reading.read(into: &pass, record: side.fittingRecord(of: identity))
  }
}

/// Collects the events that were not delivered before.
package struct FollowedEvents: EventSink, Sendable {
  private static let countMax = 1024
  private static let bytesMax = 1 << 20

  private var events: [(event: Event, line: [UInt8])] = []
  private var byteCount = 0
  private var delivered = DeliveredEvents()
  package var isFull = false
  package static let canBeFull = true

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let event = Event(layout, canonical: canonical)
    guard delivered.add(event.fullID) else { return }
    events.append((event, line.copy()))
    byteCount += line.count
    isFull = events.count >= Self.countMax || byteCount >= Self.bytesMax
  }

  /// Delivered events stay delivered. The sink is full again at the next new one.
  package mutating func restart(_ blank: FollowedEvents) { isFull = false }

  /// Returns and clears the collected events.
  mutating func takeEvents() -> [(event: Event, line: [UInt8])] {
    defer {
      events = []
      byteCount = 0
      isFull = false
    }
    return events
  }
}
