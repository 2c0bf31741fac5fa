import EventLog
import EventLogTesting
import Foundation

/// The counts and findings of the cases.
struct FailureTally {
  var executionCount = 0
  private var caseCount = 0
  private var unreachedCount = 0
  private var reportedCount = 0
  private var recoveredCount = 0
  private var kinds: Set<Substring> = []
  private(set) var findings: [String] = []

  mutating func note(
    _ testCase: FailureRun.Case, _ ending: Command.Ending, _ baseline: FailureRun.Baseline
  ) {
    caseCount += 1
    executionCount += 1
    guard ending.isStruck else {
      unreachedCount += 1
      return
    }
    kinds.insert(testCase.plan.prefix { $0 != ":" })
    if ending.code == 2 { reportedCount += 1 } else { recoveredCount += 1 }
  }

  mutating func addFinding(_ text: String, _ message: String) {
    findings.append(text)
    print("FOUND: \(text)\n  message: \(message.split(separator: "\n").joined(separator: " / "))")
    fflush(nil)
  }

  func report(possible: Int) {
    print(
      "\(caseCount) of \(possible) cases, \(executionCount) processes,"
        + " \(kinds.count) kinds of calls:")
    print("  \(reportedCount) reported with exit 2; \(recoveredCount) completed anyway")
    print("  \(unreachedCount) in which the call was not made")
    print(findings.isEmpty ? "nothing lost, nothing repeated" : "\(findings.count) findings")
  }
}
