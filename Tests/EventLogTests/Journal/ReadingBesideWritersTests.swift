import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog

/// `verify`, `status` and `repair` report nothing false while another process writes.
///
/// The other process writes before one file system call of the reader, for each call in turn. So
/// all interleavings are tested, independent of timing.
@Suite struct ReadingBesideWritersTests {
  /// The work of the other process.
  enum Work: CaseIterable, CustomTestStringConvertible {
    case append, appendTwice, takeFreshID, receive, syncWithPlace

    var testDescription: String { "\(self)" }
  }

  private static let remoteAddress = "/Volumes/Stick"

  /// A journal with a remote that holds all its events, and a disk for the reader.
  private struct Scene {
    let box: Sandbox
    let disk = InstrumentedFileSystem(machineIdentity: "desk")

    init() throws {
      box = try Sandbox()
      try box.begin(3)
      try noteSync()
    }

    var journal: Journal { Journal(path: box.path, fileSystem: disk) }

    /// Records, as a sync does, that the remote holds all events.
    func noteSync() throws {
      let writer = box.writer()
      _ = try writer.refresh()
      let ledger = writer.pass.ledger
      writer.side.note(
        RemoteRecord.Success(
          at: Timestamp(trusted: 0), ends: ledger.runEnds.map(ledger.fullID), lacking: [],
          missing: []),
        of: ReadingBesideWritersTests.remoteAddress, at: Timestamp(trusted: 0), evenIfNew: true)
    }

    func perform(_ work: Work) throws {
      switch work {
      case .append: try box.writer().append()
      case .appendTwice:
        try box.writer().append(2)
        try box.writer().append()
      case .takeFreshID:
        try box.writer().whileLocked { (writer) throws(EventLogError) in
          try writer.identity.retire(.duplicateWriter)
        }
        try box.writer().append()
      case .receive:
        let lines = Sandbox.lines(of: "tablet-bbbbbbbb", count: 3)
        _ = try box.writer().commit { (batch) throws(EventLogError) in
          _ = try batch.receive(Array(lines.joined()))
        }
      case .syncWithPlace:
        try box.writer().append()
        try noteSync()
      }
    }
  }

  /// Repeats `read`, with `work` done before another call of the reader each time.
  private func reading(
    beside work: Work, _ read: (Scene, Comment) async throws -> Void
  ) async throws {
    for call in 0... {
      let scene = try Scene()
      let isDone = Flag()
      scene.disk.interrupt(after: call) {
        do { try scene.perform(work) } catch {
          // The other process can't write while the reader holds the lock.
          if (error as? EventLogError)?.code != .locked { Issue.record("\(error)") }
        }
        isDone.set()
      }
      try await read(scene, "\(work) before call \(call)")
      if !isDone.isSet {
        #expect(call > 5)
        break
      }
    }
  }

  @Test(arguments: Work.allCases)
  func `verify finds no problems while another process writes`(
    work: Work
  ) async throws {
    try await reading(beside: work) { scene, comment in
      let report = try scene.journal.verify()
      #expect(report.problems == [], comment)
      #expect(report.notes.allSatisfy { $0.code == .note(.unknownType) }, comment)
    }
  }

  @Test(arguments: Work.allCases)
  func `status reports no damage while another process writes`(
    work: Work
  ) async throws {
    try await reading(beside: work) { scene, comment in
      let status = try scene.journal.status()
      #expect(status.missing == [] && status.firstDamage == nil, comment)
      #expect(status.warnings == [], comment)
      if work != .takeFreshID {
        #expect(status.device != nil && status.notice == nil, comment)
      }
      let waiting = try #require(status.remoteStatuses.first).waitingCount
      #expect(waiting <= status.eventCount - 4, comment)
      if work == .syncWithPlace { #expect(waiting <= 1, comment) }
    }
  }

  @Test(arguments: Work.allCases)
  func `repair finds nothing missing while another process writes`(
    work: Work
  ) async throws {
    try await reading(beside: work) { scene, comment in
      let copy = scene.box.folder.file("copy.jsonl")
      try scene.box.copy("ada.jsonl", to: "copy.jsonl")
      let report = try await scene.journal.repair(
        from: JournalRemote(path: copy), options: scene.box.options(on: scene.disk))
      #expect(report.isWhole && report.missing == [], comment)
    }
  }

  @Test(arguments: Work.allCases)
  func `an open store reports no restored journal while another process writes`(
    work: Work
  ) async throws {
    try await reading(beside: work) { scene, comment in
      let writer = scene.box.writer(on: scene.disk)
      _ = try writer.refresh()
      let reason = writer.foreseen.reason
      #expect(reason == nil || work == .takeFreshID && reason == .duplicateWriter, comment)
      #expect(writer.takeNotices() == [], comment)
    }
  }

  @Test func `verify throws if a writer holds the lock and the end is doubtful`() throws {
    let box = try Sandbox()
    try box.begin()
    try box.put(box.bytes() + Array("{\"id\":".utf8))
    let file = try JournalFile.open(box.path, .readWrite, fileSystem: SystemFileSystem())
    defer { file.close() }
    #expect(try file.lock(exclusive: true, milliseconds: 0))
    var journal = box.journal()
    journal.lockWaitMilliseconds = 10
    let error = #expect(throws: EventLogError.self) { try journal.verify() }
    #expect(error?.code == .locked)
    #expect(file.unlock())
    #expect(try journal.verify().problems.first?.code == .doubtfulTail)
  }
}

/// A flag that two threads share.
private final class Flag: Sendable {
  private let value = Mutex(false)

  func set() { value.withLock { $0 = true } }
  var isSet: Bool { value.withLock { $0 } }
}
