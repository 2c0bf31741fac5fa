import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Synchronization
import Testing

@testable import EventLogCommand

/// The progress line of long work.
@Suite struct ProgressLineTests {
  /// A terminal with a clock that only the test advances.
  private final class FakeTerminal: Sendable {
    private let state = Mutex((bytes: [UInt8](), time: Int64(0)))

    /// Returns and clears the bytes written.
    func take() -> String {
      state.withLock { state in
        defer { state.bytes = [] }
        return String(decoding: state.bytes, as: UTF8.self)
      }
    }

    func wait(_ milliseconds: Int64) { state.withLock { $0.time += milliseconds } }

    func line(isShown: Bool = true, columns: Int = 200) -> ProgressLine {
      ProgressLine(
        .init(
          isShown: isShown, columns: { columns }, now: { self.state.withLock(\.time) },
          write: { bytes in self.state.withLock { $0.bytes += bytes } }, repeat: { _ in }))
    }
  }

  private let terminal = FakeTerminal()
  private let clear = "\r\u{1B}[K"
  private let path = BuiltProduct.repository.appendingPathComponent("SampleLogs/ada.jsonl").path

  @Test func `work of less than half a second shows no progress line`() {
    let line = terminal.line()
    line.begin("reading ada.jsonl", byteTotal: 10)
    terminal.wait(ProgressLine.delay - 1)
    #expect(line.tick())
    line.end()
    #expect(!line.tick())
    #expect(terminal.take() == "")
  }

  @Test func `reading a journal shows events, bytes, rate and remaining time`() throws {
    let line = terminal.line()
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64)
    // Pretend that the file is four times as long.
    line.begin("reading ada.jsonl", byteTotal: 4 * size)
    let journal = Journal(
      path: path, catalog: .bundled, fileSystem: line.fileSystem, usesCheckpoint: false)
    let count = try journal.snapshot().snapshot.eventCount
    terminal.wait(1000)
    line.tick()
    let shown = terminal.take()
    #expect(shown.hasPrefix("\(clear)reading ada.jsonl: \(count) events, "), "\(shown)")
    let bytes = (Double(size) / 100).rounded() / 10
    let total = (Double(4 * size) / 100).rounded() / 10
    #expect(shown.contains("\(bytes) of \(total) kB, \(bytes) kB/s, 3 s left"), "\(shown)")
    line.end()
    #expect(terminal.take() == clear)
  }

  @Test func `without a terminal, progress is neither counted nor shown`() throws {
    let line = terminal.line(isShown: false)
    line.begin("reading ada.jsonl", byteTotal: 10)
    #expect(line.fileSystem is SystemFileSystem)
    terminal.wait(10_000)
    #expect(!line.tick())
    line.update("pulling", events: 1, of: 2)
    line.aside {}
    line.end()
    #expect(terminal.take() == "")
  }

  @Test func `a sync shows events and rate and its delay counts from the start`() {
    let line = terminal.line()
    line.begin("comparing with b.jsonl")
    terminal.wait(400)
    line.update("pulling from b.jsonl", events: 0, of: 5000)
    terminal.wait(200)
    line.update("pulling from b.jsonl", events: 1000, of: 5000)
    line.tick()
    #expect(
      terminal.take()
        == "\(clear)pulling from b.jsonl: 1000 of 5000 events, 5000 events/s, 1 s left")
    terminal.wait(800)
    line.update("pulling from b.jsonl", events: 5000, of: 5000)
    line.tick()
    #expect(terminal.take() == "\(clear)pulling from b.jsonl: 5000 of 5000 events, 5000 events/s")
  }

  @Test func `work of unknown size shows a byte count once bytes were read`() {
    let work = WorkProgress("importing", at: .init(time: 0, byteCount: 5, lineCount: 0))
    #expect(work.text(at: .init(time: 900, byteCount: 5, lineCount: 0)) == "importing")
    #expect(
      work.text(at: .init(time: 2000, byteCount: 3_000_005, lineCount: 9))
        == "importing: 3.0 MB, 1.5 MB/s")
  }

  @Test func `a progress line isn't longer than the terminal is wide`() {
    let line = terminal.line(columns: 12)
    line.begin("reading ada.jsonl", byteTotal: 10)
    terminal.wait(1000)
    line.tick()
    #expect(terminal.take() == "\(clear)reading …on")
  }

  @Test func `a long address is shortened so that the numbers of a sync stay visible`() {
    let line = terminal.line(columns: 80)
    let work = "pushing to s3://bucket/pre?endpoint=http://127.0.0.1:43210"
    line.begin(work)
    line.update(work, events: 0, of: 12_001)
    terminal.wait(2000)
    line.update(work, events: 8193, of: 12_001)
    line.tick()
    let shown = terminal.take()
    #expect(shown.count == clear.count + 79)
    #expect(
      shown == "\(clear)pushing to s3://bucke….0.1:43210: 8193 of 12001 events, 4096"
        + " events/s, 1 s left")
  }

  @Test func `an append of several events shows how many of them are checked`() async throws {
    let disk = MemoryFileSystem()
    let counts = WorkCount()
    let store = EventStore.unread(
      path: "/ada.jsonl",
      options: JournalOptions(fileSystem: CountingFileSystem(disk, counts), user: "ada"),
      catalog: .bundled)
    let begin = WorkProgress.Moment(time: 0, byteCount: 0, lineCount: counts.lineCount)
    let work = WorkProgress("writing to ada.jsonl", eventTotal: 40, at: begin)
    let draft = EventDraft(
      type: "settings.changed", data: JSONObject([.init(name: "a", value: .bool(true))]))
    _ = try await store.append(Array(repeating: draft, count: 30))
    #expect(counts.lineCount == 30)
    #expect(
      work.text(at: .init(time: 3000, byteCount: 0, lineCount: counts.lineCount))
        == "writing to ada.jsonl: 30 of 40 events, 10 events/s, 1 s left")
  }

  @Test(
    arguments: [
      (0, 0, 0, 0, "Nothing was transferred."),
      (0, 5, 0, 0, "0 of 5 events were pulled; the next sync transfers the rest."),
      (
        3, 5, 0, 2,
        "3 of 5 events were pulled, and 0 of 2 events were pushed; they are kept, and the next sync"
          + " transfers the rest."
      ),
      (0, 0, 2, 2, "2 of 2 events were pushed; they are kept."),
    ] as [(Int64, Int64, Int64, Int64, String)])
  func `an interrupted sync reports what was received and sent and when the rest follows`(
    pulled: Int64, pulls: Int64, pushed: Int64, pushes: Int64, text: String
  ) {
    let counts = TransferCounts(pulled: (pulled, pulls), pushed: (pushed, pushes))
    #expect(counts.interruption == "The sync was canceled. \(text)")
  }

  @Test func `other output replaces the progress line`() {
    let line = terminal.line()
    line.begin("reading ada.jsonl")
    terminal.wait(1000)
    line.tick()
    _ = terminal.take()
    line.aside { #expect(terminal.take() == clear) }
    line.aside { #expect(terminal.take() == "") }
    line.tick()
    #expect(terminal.take().hasPrefix("\(clear)reading"))
  }

  @Test func `a progress line escapes control characters of a name`() {
    let line = terminal.line()
    line.begin("reading a\u{1B}[31m")
    terminal.wait(1000)
    line.tick()
    #expect(terminal.take() == "\(clear)reading a\\u001b[31m")
  }

  @Test(
    arguments: [
      (0, 0, "reading: 0.0 of 2.0 GB, 0.0 kB/s"),
      (500_000_000, 1200, "reading: 1200 events, 0.5 of 2.0 GB, 250.0 MB/s, 6 s left"),
      (1_990_000_000, 7, "reading: 7 events, 2.0 of 2.0 GB, 995.0 MB/s, 1 s left"),
      (2_000_000_000, 7, "reading: 7 events, 2.0 of 2.0 GB, 1.0 GB/s"),
      // A few bytes beyond the total aren't a second reading.
      (2_000_060_000, 7, "reading: 7 events, 2.0 of 2.0 GB, 1.0 GB/s"),
      (3_000_000_000, 7, "reading again: 1.0 of 2.0 GB, 1.5 GB/s, 1 s left"),
      (1_000_000, 0, "reading: 0.0 of 2.0 GB, 500.0 kB/s, 67 min left"),
      (10_000, 0, "reading: 0.0 of 2.0 GB, 5.0 kB/s, 111 h left"),
    ] as [(Int64, Int64, String)])
  func `a progress line uses units that suit the amount`(bytes: Int64, lines: Int64, text: String) {
    let work = WorkProgress(
      "reading", byteTotal: 2_000_000_000, at: .init(time: 5, byteCount: 3, lineCount: 1))
    #expect(
      work.text(at: .init(time: 2005, byteCount: 3 + bytes, lineCount: 1 + lines)) == text)
  }
}
