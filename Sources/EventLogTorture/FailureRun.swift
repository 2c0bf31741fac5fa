import EventLog
import EventLogTesting
import Foundation

/// Makes each system call of each operation fail with each error, and checks the command's output
/// and its effects.
struct FailureRun {
  let command: Command
  let seed: UInt64
  /// The number of cases to try, chosen by the seed, or nil for all.
  let caseCountMax: Int?
  /// The number of cases to skip.
  var firstCase = 0

  /// One failing call.
  struct Case {
    var operation: FailureOperation
    var plan: String
    var name: String

    /// Whether the error claims that something doesn't exist, which the command has to believe.
    var isFalseError: Bool { name.hasSuffix("ENOENT") || name.hasSuffix("ENOTDIR") }
  }

  /// The result of an operation without failures.
  struct Baseline {
    var code: Int32
    var output: String
    var errors: String
  }

  /// Runs the cases and returns whether there were no findings.
  func run() throws -> Bool {
    let fixture = try FailureFixture(command: command)
    var baselines: [String: Baseline] = [:]
    var cases: [Case] = []
    var calls: [String: Int] = [:]
    for operation in FailureOperation.all {
      let (baseline, counts) = try undisturbed(operation, fixture)
      baselines[operation.name] = baseline
      for kind in CallKind.all {
        let count = counts[kind.name, default: 0]
        calls[kind.name, default: 0] += count
        // All calls of `dup` check the limit of open files, so two of them are enough.
        for number in 1...max(1, kind.name == "dup" ? min(count, 2) : count) where count > 0 {
          for (action, error) in kind.actions {
            cases.append(
              Case(
                operation: operation, plan: "\(kind.name):\(number):1:\(action)",
                name: "\(kind.name) \(number) of \(count), \(error)"))
          }
        }
      }
    }
    print(
      "\(FailureOperation.all.count) operations, \(calls.count { $0.value > 0 }) kinds of calls,"
        + " \(calls.values.reduce(0, +)) calls, \(cases.count) cases")
    let possible = cases.count
    if let caseCountMax, caseCountMax < cases.count {
      var random = SplitMix64(seed: seed)
      cases.shuffle(using: &random)
      cases.removeSubrange(caseCountMax...)
    }
    var tally = FailureTally()
    for (index, testCase) in cases.enumerated().dropFirst(firstCase) {
      try attempt(testCase, baselines[testCase.operation.name]!, fixture, &tally)
      if (index + 1).isMultiple(of: 500) {
        print("\(index + 1) of \(cases.count), \(tally.findings.count) findings")
        fflush(nil)
      }
      if tally.findings.count > 5000 { break }
    }
    tally.report(possible: possible)
    return tally.findings.isEmpty
  }

  /// Prints the command's output in one case, and the findings.
  func show(_ name: String, _ plan: String) throws -> Bool {
    guard let operation = FailureOperation.all.first(where: { $0.name == name }) else {
      throw TortureError("there is no operation \"\(name)\"")
    }
    let fixture = try FailureFixture(command: command)
    let (baseline, _) = try undisturbed(operation, fixture)
    try fixture.restore()
    let ending = try command.run(
      operation.arguments, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: plan, side: operation.side),
      as: operation.program)
    print("undisturbed: exit \(baseline.code)\n\(baseline.output)\(baseline.errors)")
    print("disturbed: exit \(ending.code), signal \(ending.signal), \(ending.log.first ?? "")")
    print(ending.output + ending.errors)
    var tally = FailureTally()
    try attempt(Case(operation: operation, plan: plan, name: plan), baseline, fixture, &tally)
    return tally.findings.isEmpty
  }

  /// Runs an operation without failures and counts its calls.
  private func undisturbed(
    _ operation: FailureOperation, _ fixture: FailureFixture
  ) throws -> (Baseline, [String: Int]) {
    try fixture.restore()
    let ending = try command.run(
      operation.arguments, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: "none:0:0:0", side: operation.side), as: operation.program)
    var counts: [String: Int] = [:]
    for line in ending.log {
      let parts = line.split(separator: " ")
      if parts.count == 3, parts[0] == "count" { counts[String(parts[1])] = Int(parts[2]) }
    }
    let complaints =
      fixture.complaints(refs: operation.refs, mustExist: true)
      + fixture.complaints(of: operation.adoption, isDone: true)
    guard [0, 1].contains(ending.code), complaints.isEmpty, !counts.isEmpty else {
      throw TortureError("\(operation.name): exit \(ending.code) \(complaints) \(ending.errors)")
    }
    return (Baseline(code: ending.code, output: ending.output, errors: ending.errors), counts)
  }

  private func attempt(
    _ testCase: Case, _ baseline: Baseline, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws {
    try fixture.restore()
    let operation = testCase.operation
    let ending = try command.run(
      operation.arguments, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: testCase.plan, side: operation.side), as: operation.program)
    tally.note(testCase, ending, baseline)
    var complaints = complaints(of: ending, testCase, baseline)
    complaints += fixture.complaints(refs: operation.refs, mustExist: ending.code == 0)
    complaints += fixture.complaints(
      of: operation.adoption, isDone: ending.code == 0 && !testCase.isFalseError)
    let changed = fixture.changedJournals
    let message = ending.errors
    if ending.code == 2, fixture.isChanged(despite: lastError(message)) {
      complaints.append("says that nothing was done, but \(changed) changed")
    }
    if operation.isReading, fixture.sandbox.contents() != fixture.contents {
      complaints.append("leaves a trace")
    }
    if fixture.sandbox.contents() == fixture.contents {
      // A repetition would be the same as the undisturbed run.
      if !complaints.isEmpty {
        tally.addFinding(
          "\(operation.name): \(testCase.name): \(complaints.joined(separator: "; "))", message)
      }
      return
    }
    complaints += try complaintsOfRepetition(testCase, baseline, fixture, &tally)
    if !complaints.isEmpty {
      tally.addFinding(
        "\(operation.name): \(testCase.name): \(complaints.joined(separator: "; "))", message)
    }
  }

  /// Returns complaints about a repetition without failures.
  private func complaintsOfRepetition(
    _ testCase: Case, _ baseline: Baseline, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws -> [String] {
    var complaints: [String] = []
    let operation = testCase.operation
    let repetition = try command.run(
      operation.arguments, in: fixture.sandbox, input: operation.input, as: operation.program)
    tally.executionCount += 1
    let isExpected =
      repetition.code == baseline.code || operation.codesAgain.contains(repetition.code)
    if !isExpected || repetition.signal != 0 || repetition.isHanging {
      complaints.append("then, undisturbed: exit \(repetition.code) \(repetition.errors)")
    }
    if operation.isReading, repetition.output != baseline.output {
      complaints.append("then, undisturbed, prints something else")
    }
    complaints += fixture.complaints(refs: operation.refs, mustExist: true).map { "then: \($0)" }
    complaints += try complaintsOfAdoptionAgain(testCase, fixture, &tally)
    if fixture.forgetsRemotes, !testCase.isFalseError {
      complaints.append("then: remotes are forgotten")
    }
    for journal in fixture.changedJournals {
      let verify = try command.run(["verify", journal], in: fixture.sandbox)
      tally.executionCount += 1
      if verify.code != 0 { complaints.append("then, verify \(journal): \(verify.output)") }
    }
    return complaints
  }

  /// Returns complaints about a completed adoption, whose repetition must write nothing.
  private func complaintsOfAdoptionAgain(
    _ testCase: Case, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws -> [String] {
    let operation = testCase.operation
    guard let adoption = operation.adoption else { return [] }
    var complaints = fixture.complaints(of: adoption, isDone: !testCase.isFalseError).map {
      "then: \($0)"
    }
    let bytes = fixture.journalBytes
    let repetition = try command.run(
      operation.arguments, in: fixture.sandbox, input: operation.input, as: operation.program)
    tally.executionCount += 1
    if repetition.code != 0 {
      complaints.append("a third time: exit \(repetition.code) \(repetition.errors)")
    }
    if fixture.journalBytes != bytes { complaints.append("a third time it writes") }
    return complaints
  }

  /// Returns the last error message, because earlier ones may be about single remotes.
  private func lastError(_ message: String) -> Substring {
    message.ranges(of: "Error: ").last.map { message[$0.lowerBound...] } ?? message[...]
  }

  /// Returns complaints about the end of the process and its output.
  private func complaints(
    of ending: Command.Ending, _ testCase: Case, _ baseline: Baseline
  ) -> [String] {
    if ending.isHanging { return ["hangs"] }
    if ending.signal != 0 { return ["ended by signal \(ending.signal)"] }
    var complaints: [String] = []
    if ending.strays > 0 { complaints.append("\(ending.strays) processes remain") }
    if ![0, 1, 2].contains(ending.code) { complaints.append("exit \(ending.code)") }
    // If writes fail, the command can't print a message.
    let canReportNothing = testCase.plan.hasPrefix("write:")
    let sentences = ending.errors.split(separator: "\n").count {
      $0.hasPrefix("Error: ") || $0.hasPrefix("{\"error\":{")
    }
    if ending.code == 2, sentences != 1, !canReportNothing {
      complaints.append("exit 2 with \(sentences) sentences")
    }
    // After EPIPE, the output has no reader.
    let hasNoReader = testCase.name.hasSuffix("EPIPE")
    guard testCase.operation.isReading, ending.code != 2, !hasNoReader else { return complaints }
    if ending.code != baseline.code { complaints.append("exit \(ending.code) without an error") }
    let mayDiffer = testCase.isFalseError || testCase.operation.readsFolder
    if ending.output != baseline.output, ending.errors == baseline.errors, !mayDiffer {
      complaints.append("prints something else without an error")
    }
    return complaints
  }
}
