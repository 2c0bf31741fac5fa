import EventLog
import EventLogPipe
import EventLogTesting
import Synchronization

/// A channel whose other side sends a script, whatever it receives, and then closes.
final class ScriptedChannel: ByteChannel {
  private struct State {
    var script: ArraySlice<UInt8>
    var isClosed = false
    /// The number of reads after the end of the script.
    var lateCalls = 0
    var writtenBytes = 0
  }

  private let state: Mutex<State>
  private let chunkBytes: Int

  /// Creates a channel that delivers at most `chunkBytes` at a time.
  init(_ script: [UInt8], chunkBytes: Int = 4096) {
    state = Mutex(State(script: script[...]))
    self.chunkBytes = chunkBytes
  }

  /// Checks that the side under test has stopped, and hasn't written too much.
  func check() throws(Finding) {
    let (lateCalls, writtenBytes) = state.withLock { ($0.lateCalls, $0.writtenBytes) }
    try Finding.require(lateCalls < 100, "It tried \(lateCalls) times after the end.")
    try Finding.require(writtenBytes < 1 << 24, "It said \(writtenBytes) bytes.")
  }

  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    try state.withLock { (state) throws(Errno) in
      if state.isClosed { throw .canceled }
      if state.script.isEmpty { state.lateCalls += 1 }
      let part = Array(state.script.prefix(chunkBytes))
      state.script = state.script.dropFirst(part.count)
      return part
    }
  }

  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      if state.isClosed { throw .canceled }
      state.writtenBytes += bytes.count
    }
  }

  func close() { state.withLock { $0.isClosed = true } }
}
