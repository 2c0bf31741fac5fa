import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Appends with a failing call or a power loss at any point.
@Suite(.tags(.faults)) struct JournalCrashTests {
  struct Scenario: CustomTestStringConvertible {
    let testDescription: String
    /// Prepares the journal for the append.
    let prepare: @Sendable (Sandbox) throws -> Void
    /// The number of events that the append writes.
    let count: Int
    var textBytes = 40
    /// Whether acknowledged events were cut off, and are therefore reported.
    var isCut = false

    func expects(_ problems: [JournalProblem]) -> Bool {
      problems.allSatisfy { isCut && $0.code == .gap }
    }
  }

  static let scenarios = [
    Scenario(testDescription: "first batch", prepare: { _ in }, count: 2),
    Scenario(
      testDescription: "first batch beyond a page", prepare: { _ in }, count: 40, textBytes: 400),
    Scenario(testDescription: "small batch", prepare: { try $0.begin() }, count: 2),
    Scenario(
      testDescription: "small batch across a page",
      prepare: { try $0.writer().append(4, textBytes: 850) }, count: 3, textBytes: 850),
    Scenario(
      testDescription: "batch beyond a page", prepare: { try $0.begin() }, count: 30,
      textBytes: 400),
    Scenario(
      testDescription: "copy",
      prepare: {
        try $0.begin()
        try $0.copy("ada.jsonl", to: "copy.jsonl")
        try $0.rename("copy.jsonl", to: "ada.jsonl")
      }, count: 30, textBytes: 400),
    Scenario(
      testDescription: "part of a line at the end",
      prepare: { box in
        try box.begin()
        let sound = try box.bytes()
        try box.writer().append(2, textBytes: 3000)
        try box.put(sound + [UInt8](try box.bytes()[sound.count...].prefix(3000)))
      }, count: 3, isCut: true),
    Scenario(
      testDescription: "torn batch at the end",
      prepare: { box in
        try box.begin()
        let record = try box.bytes("ada.eventlog/device.json")
        let sound = try box.bytes().count
        try box.writer().append(12, textBytes: 1000)
        var torn = try box.bytes()
        torn.replaceSubrange(sound..<4096, with: repeatElement(0, count: 4096 - sound))
        try box.put(torn)
        try box.put(record, "ada.eventlog/device.json")
      }, count: 20, textBytes: 400),
    Scenario(
      testDescription: "one event", prepare: { try $0.begin() }, count: 1),
    Scenario(
      testDescription: "one event, across a page", prepare: { try $0.begin() }, count: 1,
      textBytes: 6000),
    Scenario(
      testDescription: "spaces at the end",
      prepare: { box in
        try box.begin()
        try box.put(try box.bytes() + [UInt8](repeating: 0x20, count: 5000))
      }, count: 12, textBytes: 850),
  ]

  /// The lines that a reader finds in the prepared journal, all of them acknowledged.
  private func acknowledged(_ box: Sandbox) throws -> [EventID: [UInt8]] {
    var lines: [EventID: [UInt8]] = [:]
    if (try? box.bytes().isEmpty) ?? true { return [:] }
    _ = try box.journal().replay { event, line in
      lines[event.id] = line
      return true
    }
    return lines
  }

  private func expect(
    _ lines: [EventID: [UInt8]], in box: Sandbox, _ comment: Comment
  ) throws {
    guard !lines.isEmpty else { return }
    let found = try acknowledged(box)
    for (id, line) in lines { #expect(found[id] == line, comment) }
  }

  // MARK: - Every call fails once

  @Test(arguments: scenarios)
  func `if any call fails, the journal is unchanged or refuses appends until it is reopened`(
    scenario: Scenario
  ) throws {
    let callCount = try callCount(scenario, isRecorded: false)
    for index in Rounds.sample(callCount + 1) {
      let box = try Sandbox()
      try scenario.prepare(box)
      let before = (try? box.bytes()) ?? []
      let sound = try acknowledged(box)
      let writer = box.writer()
      box.disk.resetCounts()
      box.disk.failNextCall(after: index, with: .inputOutput)
      let error = failure { () throws(EventLogError) in
        try writer.append(scenario.count, textBytes: scenario.textBytes)
      }
      #expect((box.disk.failableCount <= index) == (index == callCount))
      box.disk.stopFailing()
      let comment: Comment = "call \(index): \(String(describing: error))"
      try expect(sound, in: box, comment)
      try checkAfter(error, box, before, comment)
      var appended = error == nil ? 1 : 0
      if let error {
        let secondError = failure { () throws(EventLogError) in try writer.append() }
        // After a failed sync, the writer stays closed. After any other failure, it continues.
        #expect(secondError?.code == (error.code == .syncFailed ? .syncFailed : nil), comment)
        appended = secondError == nil ? 1 : 0
      }
      let outcome = try box.writer().append()
      #expect(outcome.events.count == 1)
      try expect(sound, in: box, comment)
      #expect(scenario.expects(try box.journal().verify().problems), comment)
      let events = try box.events()
      #expect(Set(events).count == events.count)
      #expect(events.count >= sound.count + appended + 1, comment)
    }
    Counted.note(callCount, "failed calls of an append")
    #expect(callCount > 10)
  }

  /// The number of failable calls that the append makes.
  ///
  /// A recorder makes additional calls.
  private func callCount(_ scenario: Scenario, isRecorded: Bool) throws -> Int {
    let box = try Sandbox()
    try scenario.prepare(box)
    let recorder = CrashRecorder(box.disk)
    box.disk.resetCounts()
    let writer = isRecorded ? box.writer(on: recorder) : box.writer()
    if !isRecorded { box.disk.resetCounts() }
    try writer.append(scenario.count, textBytes: scenario.textBytes)
    return box.disk.failableCount
  }

  private func checkAfter(
    _ error: EventLogError?, _ box: Sandbox, _ before: [UInt8], _ comment: Comment
  ) throws {
    guard let error, error.code != .syncFailed else { return }
    #expect([.inputOutput, .locked].contains(error.code), comment)
    let after = Sandbox.withoutBlanks((try? box.bytes()) ?? [])
    let before = Sandbox.withoutBlanks(before)
    guard after != before else { return }
    // Only a doubtful end may have been removed by then, and it is in quarantine.
    #expect(before.starts(with: after), comment)
    #expect(try box.quarantine().contains(Array(before[after.count...])), comment)
  }

  // MARK: - Power loss at every call

  @Test(arguments: scenarios)
  func `after a power loss at any call, acknowledged lines remain and appends succeed`(
    scenario: Scenario
  ) throws {
    var generator = SplitMix64(seed: Sandbox.seed)
    let callCount = try callCount(scenario, isRecorded: true)
    var stateCount = 0
    for index in Rounds.sample(callCount + 1) {
      let box = try Sandbox()
      try scenario.prepare(box)
      var lines = try acknowledged(box)
      let recorder = CrashRecorder(box.disk)
      box.disk.resetCounts()
      box.disk.failNextCall(after: index, with: .inputOutput, times: .max)
      let error = failure { () throws(EventLogError) in
        try box.writer(on: recorder).append(scenario.count, textBytes: scenario.textBytes)
      }
      #expect((box.disk.failableCount <= index) == (index == callCount))
      box.disk.stopFailing()
      if error == nil { lines.merge(try acknowledged(box)) { first, _ in first } }
      stateCount += try checkStates(
        of: box, recorder, lines, "call \(index)", scenario, &generator)
    }
    Counted.note(callCount, "power losses in an append")
    Counted.note(stateCount, "states of the disk after a power loss")
    #expect(callCount > 10)
  }

  /// Puts each state that a power loss may leave in place, and appends to it.
  ///
  /// - Returns: The number of states.
  private func checkStates(
    of box: Sandbox, _ recorder: CrashRecorder, _ lines: [EventID: [UInt8]], _ call: String,
    _ scenario: Scenario, _ generator: inout SplitMix64
  ) throws -> Int {
    var count = 0
    if !lines.isEmpty { #expect(!recorder.mayBeMissing(box.path)) }
    let limit = Rounds.of(4)
    let seed = generator.next()
    let journals = recorder.possibleContents(of: box.path, limit: limit, seed: seed)
    var records: [[UInt8]?] = recorder.possibleContents(
      of: box.recordPath, limit: limit, seed: seed)
    if records.isEmpty { records = [nil] }
    for (number, journal) in journals.enumerated() {
      // The first two states are the files without and with all unsynced writes. They are combined
      // with each record.
      let chosen = number < 2 ? records : [records.randomElement(using: &generator)!]
      for record in chosen {
        count += 1
        let comment: Comment = "seed \(Sandbox.seed), \(call), state \(number)"
        try box.put(journal)
        if let record { try box.put(record, "ada.eventlog/device.json") }
        try expect(lines, in: box, comment)
        let error = failure { () throws(EventLogError) in try box.writer().append(2) }
        if lines.isEmpty, error?.code == .notAJournal { continue }
        #expect(error == nil, comment)
        try expect(lines, in: box, comment)
        let problems = try box.journal().verify().problems
        #expect(scenario.expects(problems), comment)
        let events = try box.events()
        #expect(Set(events).count == events.count)
        #expect(events.suffix(2).map(\.device).allSatisfy { $0 == events.last?.device })
      }
    }
    return count
  }
}
