import EventLog
import EventLogTesting
import Foundation

/// Reads a journal while four processes write to it, none of them killed.
///
/// Checks that `verify`, `status` and `repair` report nothing false.
struct ReaderRounds {
  let eventlog: String
  /// The path of this program, for a process that keeps a store open.
  let own: String
  let roundCount: Int
  let seed: UInt64

  /// Runs the rounds and returns whether each report was true.
  func run() throws -> Bool {
    let scene = try ReaderScene(eventlog: eventlog, own: own, seed: seed)
    try scene.prepare()
    scene.startWriters()
    var random = SplitMix64(seed: seed)
    let verbs = ["verify", "status", "repair"]
    var rounds = 0
    while rounds < roundCount, scene.findingCount <= 20 {
      for verb in verbs.shuffled(using: &random) { try scene.read(verb) }
      rounds += 1
    }
    let writeCount = scene.stopWriters()
    // At the end, all acknowledged events must be there.
    try scene.read("verify")
    print(
      "\(rounds) times verify, status and repair beside 4 processes from seed \(seed) on, which"
        + " wrote \(writeCount) times:",
      scene.findingCount == 0 ? "no false report" : "\(scene.findingCount) findings")
    return scene.findingCount == 0
  }

  /// Appends events one by one to a store that stays open, as an app does.
  static func write(to path: String, count: Int) async -> Int32 {
    do {
      let store = try await EventStore.open(path: path)
      for number in 0..<count {
        _ = try await store.append(
          [
            EventDraft(
              type: "settings.changed",
              data: JSONObject([.init(name: "open", value: .number(JSONNumber(Int64(number))))]))
          ], allowingUnknownTypes: true)
      }
      try await store.close()
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 2
    }
  }
}
