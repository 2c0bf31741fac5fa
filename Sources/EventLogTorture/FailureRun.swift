import EventLog
import EventLogTesting
import Foundation

/// Makes each system call of each operation fail with each error and checks the command's answer
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
    var isLie: Bool { name.hasSuffix("ENOENT") || name.hasSuffix("ENOTDIR") }
  }

  /// The answer of an operation without failures.
  struct Answer {
    var code: Int32
    var output: String
    var errors: String
  }

  /// Runs the cases and returns whether there were no findings.
  func run() throws -> Bool {
    let fixture = try FailureFixture(command: command)
    var answers: [String: Answer] = [:]
    var cases: [Case] = []
    var calls: [String: Int] = [:]
    for operation in FailureOperation.all {
      let (answer, counts) = try undisturbed(operation, fixture)
      answers[operation.name] = answer
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
    for (index, one) in cases.enumerated().dropFirst(firstCase) {
      try attempt(one, answers[one.operation.name]!, fixture, &tally)
      if (index + 1).isMultiple(of: 500) {
        print("\(index + 1) of \(cases.count), \(tally.findings.count) findings")
        fflush(nil)
      }
      if tally.findings.count > 5000 { break }
    }
    tally.report(possible: possible)
    return tally.findings.isEmpty
  }

  /// Shows the command's answer in one case and the findings.
  func show(_ name: String, _ plan: String) throws -> Bool {
    guard let operation = FailureOperation.all.first(where: { $0.name == name }) else {
      throw Trouble("there is no operation \"\(name)\"")
    }
    let fixture = try FailureFixture(command: command)
    let (answer, _) = try undisturbed(operation, fixture)
    try fixture.restore()
    let ending = try command.run(
      operation.words, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: plan, side: operation.side),
      as: operation.program)
    print("undisturbed: exit \(answer.code)\n\(answer.output)\(answer.errors)")
    print("disturbed: exit \(ending.code), signal \(ending.signal), \(ending.log.first ?? "")")
    print(ending.output + ending.errors)
    var tally = FailureTally()
    try attempt(Case(operation: operation, plan: plan, name: plan), answer, fixture, &tally)
    return tally.findings.isEmpty
  }

  /// Runs an operation without failures and counts its calls.
  private func undisturbed(
    _ operation: FailureOperation, _ fixture: FailureFixture
  ) throws -> (Answer, [String: Int]) {
    try fixture.restore()
    let ending = try command.run(
      operation.words, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: "none:0:0:0", side: operation.side), as: operation.program)
    var counts: [String: Int] = [:]
    for line in ending.log {
      let words = line.split(separator: " ")
      if words.count == 3, words[0] == "count" { counts[String(words[1])] = Int(words[2]) }
    }
    let complaints =
      fixture.complaints(refs: operation.refs, areThere: true)
      + fixture.complaints(of: operation.adoption, isDone: true)
    guard [0, 1].contains(ending.code), complaints.isEmpty, !counts.isEmpty else {
      throw Trouble("\(operation.name): exit \(ending.code) \(complaints) \(ending.errors)")
    }
    return (Answer(code: ending.code, output: ending.output, errors: ending.errors), counts)
  }

  private func attempt(
    _ one: Case, _ answer: Answer, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws {
    try fixture.restore()
    let operation = one.operation
    let ending = try command.run(
      operation.words, in: fixture.sandbox, input: operation.input,
      fault: .calls(plan: one.plan, side: operation.side), as: operation.program)
    tally.note(one, ending, answer)
    var complaints = complaints(of: ending, one, answer)
    complaints += fixture.complaints(refs: operation.refs, areThere: ending.code == 0)
    complaints += fixture.complaints(
      of: operation.adoption, isDone: ending.code == 0 && !one.isLie)
    let changed = fixture.changedJournals
    let words = ending.errors
    if ending.code == 2, fixture.isChanged(despite: finalWords(words)) {
      complaints.append("says that nothing was done, but \(changed) changed")
    }
    if operation.isReading, fixture.sandbox.contents() != fixture.contents {
      complaints.append("leaves a trace")
    }
    if fixture.sandbox.contents() == fixture.contents {
      // A repetition would be the same as the undisturbed run.
      if !complaints.isEmpty {
        tally.find("\(operation.name): \(one.name): \(complaints.joined(separator: "; "))", words)
      }
      return
    }
    complaints += try complaintsOfRepetition(one, answer, fixture, &tally)
    if !complaints.isEmpty {
      tally.find("\(operation.name): \(one.name): \(complaints.joined(separator: "; "))", words)
    }
  }

  /// Returns complaints about a repetition without failures.
  private func complaintsOfRepetition(
    _ one: Case, _ answer: Answer, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws -> [String] {
    var complaints: [String] = []
    let operation = one.operation
    let repetition = try command.run(
      operation.words, in: fixture.sandbox, input: operation.input, as: operation.program)
    tally.executionCount += 1
    let isExpected =
      repetition.code == answer.code || operation.codesAgain.contains(repetition.code)
    if !isExpected || repetition.signal != 0 || repetition.isHanging {
      complaints.append("then, undisturbed: exit \(repetition.code) \(repetition.errors)")
    }
    if operation.isReading, repetition.output != answer.output {
      complaints.append("then, undisturbed, answers something else")
    }
    complaints += fixture.complaints(refs: operation.refs, areThere: true).map { "then: \($0)" }
    complaints += try complaintsOfAdoptionAgain(one, fixture, &tally)
    if fixture.forgetsRemotes, !one.isLie { complaints.append("then: remotes are forgotten") }
    for journal in fixture.changedJournals {
      let verify = try command.run(["verify", journal], in: fixture.sandbox)
      tally.executionCount += 1
      if verify.code != 0 { complaints.append("then, verify \(journal): \(verify.output)") }
    }
    return complaints
  }

  /// Returns complaints about a completed adoption, whose repetition must write nothing.
  private func complaintsOfAdoptionAgain(
    _ one: Case, _ fixture: FailureFixture, _ tally: inout FailureTally
  ) throws -> [String] {
    let operation = one.operation
    guard let adoption = operation.adoption else { return [] }
    var complaints = fixture.complaints(of: adoption, isDone: !one.isLie).map { "then: \($0)" }
    let bytes = fixture.journalBytes
    let repetition = try command.run(
      operation.words, in: fixture.sandbox, input: operation.input, as: operation.program)
    tally.executionCount += 1
    if repetition.code != 0 {
      complaints.append("a third time: exit \(repetition.code) \(repetition.errors)")
    }
    if fixture.journalBytes != bytes { complaints.append("a third time it writes") }
    return complaints
  }

  /// Returns the last error message, because earlier ones may be about single remotes.
  private func finalWords(_ words: String) -> Substring {
    words.ranges(of: "Error: ").last.map { words[$0.lowerBound...] } ?? words[...]
  }

  /// Returns complaints about the end of the process and its output.
  private func complaints(
    of ending: Command.Ending, _ one: Case, _ answer: Answer
  ) -> [String] {
    if ending.isHanging { return ["hangs"] }
    if ending.signal != 0 { return ["ended by signal \(ending.signal)"] }
    var complaints: [String] = []
    if ending.strays > 0 { complaints.append("\(ending.strays) processes stay behind") }
    if ![0, 1, 2].contains(ending.code) { complaints.append("exit \(ending.code)") }
    // If writing fails, there can't be a message.
    let isMute = one.plan.hasPrefix("write:")
    let sentences = ending.errors.split(separator: "\n").count {
      $0.hasPrefix("Error: ") || $0.hasPrefix("{\"error\":{")
    }
    if ending.code == 2, sentences != 1, !isMute {
      complaints.append("exit 2 with \(sentences) sentences")
    }
    // After EPIPE, the output has no reader.
    let isLeft = one.name.hasSuffix("EPIPE")
    guard one.operation.isReading, ending.code != 2, !isLeft else { return complaints }
    if ending.code != answer.code { complaints.append("answers \(ending.code)") }
    let mayDiffer = one.isLie || one.operation.readsFolder
    if ending.output != answer.output, ending.errors == answer.errors, !mayDiffer {
      complaints.append("answers something else in silence")
    }
    return complaints
  }
}
