import EventLog
import Foundation
import Synchronization

/// Sends signals to a sync that starts another program.
///
/// Each signal must end the sync, and the program with it.
struct SignalRounds {
  let command: Command
  let roundCount: Int
  let seed: UInt64
  /// The minimum upper bound of the times of signals, in microseconds after the start of the
  /// process.
  private let microsecondsMin = 50_000

  /// Runs the rounds and returns whether there were no findings.
  func run() throws -> Bool {
    var command = command
    // Here, a remaining program never ends by itself.
    command.strayPatience = 5_000
    let sandbox = try Sandbox()
    let append = try command.run(
      ["append", "a.jsonl", "--user", "ada", "settings.changed", "theme=dark"], in: sandbox)
    guard append.code == 0 else { throw TortureError("an append failed: \(append.errors)") }
    let load = Load()
    defer { load.end() }
    // A bit more than the time until the other program starts on this machine.
    let microsecondsMax = max(microsecondsMin, try time(command, sandbox))
    // A program that writes nothing, and doesn't notice a closed pipe.
    try write(script: "exec sleep 100000", in: sandbox)
    var random = SplitMix64(seed: seed)
    var startedCount = 0
    var findings = 0
    for round in 1...max(1, roundCount) {
      let signal = [SIGTERM, SIGINT, SIGHUP].randomElement(using: &random)!
      let most = round.isMultiple(of: 2) ? microsecondsMin : microsecondsMax
      let time = Int.random(in: 0..<most, using: &random)
      let ending = try command.run(
        ["sync", "a.jsonl", "desk:a.jsonl"], in: sandbox, fault: .signal(signal, after: time))
      if !ending.errors.isEmpty { startedCount += 1 }
      let isLost = ending.isHanging || ending.signal != signal
      guard isLost || ending.strays > 0 else { continue }
      findings += 1
      print(
        "FOUND: round \(round), signal \(signal) after \(time) µs: "
          + (isLost ? "did not end it" : "\(ending.strays) processes remained"))
      fflush(nil)
      if findings > 20 { break }
    }
    print(
      "\(roundCount) signals from seed \(seed) on, \(startedCount) of them caught:",
      findings == 0 ? "each ended the sync, and no process remained" : "\(findings) findings")
    return findings == 0
  }

  /// Returns the duration of a sync whose other program ends at once, in microseconds.
  private func time(_ command: Command, _ sandbox: Sandbox) throws -> Int {
    try write(script: "exit 1", in: sandbox)
    let start = ContinuousClock.now
    _ = try command.run(["sync", "a.jsonl", "desk:a.jsonl"], in: sandbox)
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
  }

  private func write(script: String, in sandbox: Sandbox) throws {
    try "\(script)\n".write(
      toFile: sandbox.auxiliaryFile("ssh"), atomically: false, encoding: .utf8)
  }
}

/// Keeps all processors busy.
private final class Load: Sendable {
  private let isOver = Atomic(false)

  init() {
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      Thread { [self] in while !isOver.load(ordering: .relaxed) {} }.start()
    }
  }

  func end() { isOver.store(true, ordering: .relaxed) }
}
