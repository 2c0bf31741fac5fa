import EventLogTesting
import Testing

@testable import EventLog

/// A journal whose creation fails at some call.
@Suite(.tags(.faults)) struct FailedCreationTests {
  private let path = "/ada.jsonl"

  private func append(on disk: InstrumentedFileSystem) throws(EventLogError) {
    let options = JournalOptions(
      fileSystem: disk, clock: .fixed(1_800_000_000_000), random: .seeded(1), deviceName: "phone",
      user: "ada")
    let writer = JournalWriter(path: path, options: options, sink: EventList())
    _ = try writer.commit { (batch) throws(EventLogError) in
      _ = try batch.add(EventDraft(type: "note.added", data: JSONObject()), hasMore: false)
    }
  }

  @Test func `an error that claims that nothing was changed leaves no file`() {
    var failureCount = 0
    for index in 0..<200 {
      let memory = MemoryFileSystem(machineIdentity: "desk")
      let disk = InstrumentedFileSystem(memory)
      disk.failNextCall(after: index, with: .permissionDenied)
      do throws(EventLogError) { try append(on: disk) } catch {
        failureCount += 1
        guard error.message.contains("Nothing was") else { continue }
        #expect((try? memory.status(at: path)) == nil, "call \(index): \(error.message)")
      }
    }
    #expect(failureCount > 5)
  }
}
