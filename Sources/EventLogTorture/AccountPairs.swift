import EventLog
import EventLogAccounts
import EventLogTesting
import Foundation

/// Runs two processes at once on one folder of accounts, like an app and its extension, and kills
/// some.
///
/// At the end, each user must have one journal, each acknowledged event must be in one account, and
/// no remote may have an event of the account that stays on its device.
struct AccountPairs {
  let program: String
  let faults: String
  let seedCount: Int
  let seed: UInt64

  /// Returns the folder of the accounts' remotes.
  static func remotesFolder(of folder: String) -> String {
    Path.join(Path.folder(of: folder), "Places")
  }

  /// Runs the pairs and returns whether there were no findings.
  func run() throws -> Bool {
    var (findings, killed, processes, events, kept): ([String], Int, Int, Int, Int) =
      ([], 0, 0, 0, 0)
    for number in seed..<seed + UInt64(seedCount) {
      let pair = try AccountPair(program: program, faults: faults, seed: number)
      try pair.run()
      killed += pair.killedCount
      processes += pair.processCount
      events += pair.written.count
      kept += pair.keptBack.count
      for finding in pair.findings {
        findings.append(finding)
        print("FOUND: seed \(number): \(finding)")
        fflush(nil)
      }
      if findings.count > 20 { break }
    }
    print(
      "\(seedCount) pairs of processes from seed \(seed) on: \(processes) processes, \(killed) of"
        + " them killed, \(events) events acknowledged, \(kept) of them after their account was"
        + " kept on its device")
    print(
      findings.isEmpty
        ? "each user has one journal, and each guest one account" : "\(findings.count) findings")
    return findings.isEmpty
  }
}
