import EventLog
import EventLogPipe
import EventLogTesting

/// A sync ends, whatever the other side sends, and the journal loses nothing.
enum PipeTarget {
  /// Short timeouts: nothing here takes long, so a wait is for bytes that never come.
  static var limits: PipeLimits {
    var limits = PipeLimits()
    limits.connectingMilliseconds = 5000
    limits.patienceMilliseconds = 5000
    limits.initiatorMilliseconds = 5000
    limits.messageMilliseconds = 5000
    return limits
  }

  static func checkInitiator(_ input: [UInt8]) async throws {
    let memory = try await MemoryJournal.shared()
    let before = memory.bytes
    let events = try memory.events()
    let channel = ScriptedChannel(input)
    let remote = PipeRemote(address: "far", limits: limits) { () throws(EventLogError) in channel }
    let report: SyncReport?
    do throws(EventLogError) { report = try await memory.store().sync(with: remote) } catch {
      try error.checkIsOfRemote()
      report = nil
    }
    try channel.check()
    try memory.checkGrown(from: before, holding: events, and: report?.pulledCount)
  }

  static func checkResponder(_ input: [UInt8]) async throws {
    let memory = try await MemoryJournal.shared()
    let before = memory.bytes
    let events = try memory.events()
    let channel = ScriptedChannel(input)
    do throws(EventLogError) {
      try await PipeServer(path: MemoryJournal.path, options: memory.options(), limits: limits)
        .serve(channel)
    } catch { try error.checkIsOfRemote() }
    try channel.check()
    try memory.checkGrown(from: before, holding: events)
  }
}
