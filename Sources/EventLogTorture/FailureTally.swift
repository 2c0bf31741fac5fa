import EventLog
import EventLogTesting
import Foundation

/// The counts and findings of the cases.
struct FailureTally {
  var executionCount = 0
  private var caseCount = 0
  private var unreachedCount = 0
  private var toldCount = 0
  private var coveredCount = 0
  private var kinds: Set<Substring> = []
  private(set) var findings: [String] = []

  mutating func note(_ one: FailureRun.Case, _ ending: Command.Ending, _ answer: FailureRun.Answer)
  {
    caseCount += 1
    executionCount += 1
    guard ending.isStruck else {
      unreachedCount += 1
      return
    }
    kinds.insert(one.plan.prefix { $0 != ":" })
    if ending.code == 2 { toldCount += 1 } else { coveredCount += 1 }
  }

  mutating func find(_ text: String, _ words: String) {
    findings.append(text)
    print("FOUND: \(text)\n  it said: \(words.split(separator: "\n").joined(separator: " / "))")
    fflush(nil)
  }

  func report(possible: Int) {
    print(
      "\(caseCount) of \(possible) cases, \(executionCount) processes,"
        + " \(kinds.count) kinds of calls:")
    print("  \(toldCount) told in a sentence, exit 2; \(coveredCount) done all the same")
    print("  \(unreachedCount) in which the call was not made this time")
    print(findings.isEmpty ? "nothing lost, nothing doubled" : "\(findings.count) findings")
  }
}
