import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// Following a journal in steps while its file grows, is replaced or is removed.
@Suite struct JournalFollowerTests {
  private let sandbox: Sandbox
  private let lines = Sandbox.lines(of: "tablet-aaaaaaaa", count: 12)
  private let others = Sandbox.lines(of: "laptop-bbbbbbbb", count: 6)

  init() throws { sandbox = try Sandbox() }

  private func follower() -> JournalFollower {
    JournalFollower(path: sandbox.path, fileSystem: sandbox.disk)
  }

  /// Reads to the end. Returns the device's first letter and the sequence of each event, in order.
  private func read(_ follower: inout JournalFollower) throws -> [String] {
    var events: [String] = []
    while true {
      let step = try follower.next()
      events += step.events.map { "\($0.event.id.device.text.prefix(1))\($0.event.id.sequence)" }
      if step.isAtEnd { return events }
    }
  }

  private func put(_ lines: [[UInt8]], _ name: String = "ada.jsonl") throws {
    try sandbox.put(Array(lines.joined()), name)
  }

  /// Replaces the file by a rename, as restoring a backup does.
  private func replace(with lines: [[UInt8]]) throws {
    try put(lines, "new")
    try sandbox.rename("new", to: "ada.jsonl")
  }

  // MARK: - Growing files

  @Test func `a follower reads only the appended lines`() throws {
    try put(Array(lines.prefix(10)))
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == 10)
    #expect(try read(&follower).isEmpty)
    sandbox.disk.resetCounts()
    try put(Array(lines.prefix(11)))
    #expect(try read(&follower) == ["t11"])
    // The resume point, the new line, the end after it, the next resume point, and the record.
    #expect(sandbox.disk.count(of: .read) <= 6)
    #expect(sandbox.disk.count(of: .open) <= 1)
  }

  @Test func `a follower returns at most 1024 events per step, in file order`() throws {
    let many = Sandbox.lines(of: "tablet-aaaaaaaa", count: 5000)
    try put(many)
    var follower = follower()
    defer { follower.close() }
    var sequences: [Int64] = []
    var stepCount = 0
    while true {
      let step = try follower.next()
      stepCount += 1
      #expect(step.events.count <= 1024)
      sequences += step.events.map(\.event.id.sequence)
      #expect(
        step.events.map(\.line)
          == many[sequences.count - step.events.count..<sequences.count]
          .map { Array($0.dropLast()) })
      if step.isAtEnd { break }
    }
    #expect(sequences == Array(1...5000))
    #expect(stepCount == 5)
    #expect(follower.findings.problemCount == 0)
  }

  @Test func `a follower returns all events of long batches`() throws {
    var history = History(user: "ada")
    let phone = history.copy("phone")
    let draft = EventDraft(type: "profile.updated", data: ["name": "Ada"])
    for count in [1000, 3000, 1, 2000] {
      history.write(batch: Array(repeating: draft, count: count), on: phone)
    }
    try history.write(to: sandbox.path)
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower) == (1...6002).map { "p\($0)" })
    #expect(follower.findings.problemCount == 0)
  }

  @Test func `a follower isn't at the end when an adoption restarts a full step`() async throws {
    let phone = try await TemporaryStore(device: "phone", catalog: .standard)
    let guest = try await TemporaryStore(device: "guest", user: "guest", catalog: .standard)
    func write(_ count: Int, to device: TemporaryStore) async throws {
      let draft = EventDraft(type: "profile.updated", data: ["name": "Ada"])
      _ = try await device.store.append(Array(repeating: draft, count: count))
    }
    try await write(600, to: phone)
    try await write(5, to: guest)
    _ = try await phone.store.adopt(guest.remote)
    try await write(1500, to: phone)
    // The guest's events come before the adoption, which restarts the reading.
    let all = try phone.lines()
    let theirs = all.filter { $0.hasPrefix(#"{"id":"guest-"#) }
    let own = all.filter { !$0.hasPrefix(#"{"id":"guest-"#) }
    #expect(theirs.count == 6)
    try put((own.prefix(601) + theirs + own.dropFirst(601)).map { Array($0.utf8) + [0x0A] })
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == all.count)
    #expect(follower.findings.problemCount == 0)
  }

  @Test func `a follower continues after damage at the end of a step`() throws {
    var many = Sandbox.lines(of: "tablet-aaaaaaaa", count: 3000)
    many[1024] = Sandbox.broken(many[1024])
    many[2500] = Sandbox.broken(many[2500])
    many.insert(many[5], at: 2000)
    try put(many)
    var follower = follower()
    defer { follower.close() }
    let events = try read(&follower)
    #expect(events.count == 2998)
    let report = try sandbox.journal().verify()
    #expect(follower.findings.problems == report.problems)
    let notes = report.notes.filter { $0.code != .note(.unknownType) }
    #expect(follower.findings.notes == notes)
  }

  @Test func `a partly written line is returned when it is complete`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == 3)
    let whole = Array(lines.prefix(6).joined())
    var found: [String] = []
    for count in lines.prefix(3).joined().count...whole.count {
      try sandbox.put(Array(whole.prefix(count)))
      found += try read(&follower)
    }
    #expect(found == ["t4", "t5", "t6"])
    #expect(follower.findings.problemCount == 0)
    #expect(follower.end.doubtfulTail == nil)
  }

  @Test func `lines that overwrite a doubtful end are returned`() throws {
    try put(Array(lines.prefix(3)) + [Array(lines[3].prefix(50))])
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower) == ["t1", "t2", "t3"])
    #expect(follower.end.doubtfulTail != nil)
    try sandbox.writer().append(1)
    #expect(try read(&follower) == ["p1", "p2"])
    #expect(follower.end.doubtfulTail == nil)
    #expect(follower.findings.problemCount == 0)
  }

  @Test func `spaces at the end of a journal aren't a line`() throws {
    let spaces = [[UInt8](repeating: 0x20, count: 4096)]
    try put(Array(lines.prefix(2)) + spaces)
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower) == ["t1", "t2"])
    try put(Array(lines.prefix(3)) + spaces)
    #expect(try read(&follower) == ["t3"])
    #expect(follower.end.doubtfulTail == nil)
  }

  @Test func `a last line without an LF is returned once`() throws {
    try put(Array(lines.prefix(2)) + [lines[2].dropLast()])
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower) == ["t1", "t2", "t3"])
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(3)))
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(4)))
    #expect(try read(&follower) == ["t4"])
    #expect(follower.findings.problemCount == 0)
  }

  // MARK: - Replaced files

  /// Follows a file of eight lines whose fourth line is damaged.
  private func followDamaged() throws -> (follower: JournalFollower, lines: [[UInt8]]) {
    var damaged = Array(lines.prefix(8))
    damaged[3] = Sandbox.broken(damaged[3])
    try put(damaged)
    var follower = follower()
    #expect(try read(&follower) == ["t1", "t2", "t3", "t5", "t6", "t7", "t8"])
    #expect(follower.findings.problems.map(\.code) == [.line(.malformed), .gap])
    return (follower, damaged)
  }

  @Test func `filling a gap returns only the missing events`() throws {
    var (follower, damaged) = try followDamaged()
    defer { follower.close() }
    try put(damaged + [lines[3], lines[8]])
    let found = try read(&follower)
    #expect(found.sorted() == ["t4", "t9"])
    #expect(follower.findings.problemCount == 0)
    #expect(follower.findings.notes.map(\.code) == [.note(.deadBytes)])
    #expect(try read(&follower).isEmpty)
  }

  @Test func `replacing the file returns only the missing events`() throws {
    var (follower, _) = try followDamaged()
    defer { follower.close() }
    try replace(with: Array(lines.prefix(3)) + others + Array(lines[3...]))
    #expect(
      try read(&follower)
        == ["l1", "l2", "l3", "l4", "l5", "l6", "t4", "t9", "t10", "t11", "t12"])
    #expect(follower.findings.problemCount == 0)
    #expect(try read(&follower).isEmpty)
  }

  @Test func `events appended before the file was replaced are returned`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try put(Array(lines.prefix(5)))
    try replace(with: others)
    #expect(try read(&follower) == ["t4", "t5", "l1", "l2", "l3", "l4", "l5", "l6"])
  }

  @Test func `events appended before the file was removed are returned at once`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try put(Array(lines.prefix(5)))
    try sandbox.remove("ada.jsonl")
    #expect(try read(&follower) == ["t4", "t5"])
    #expect(try read(&follower).isEmpty)
  }

  @Test func `a follower closes replaced files`() throws {
    try sandbox.begin(2)
    sandbox.disk.resetCounts()
    var follower = follower()
    #expect(try read(&follower) == ["p1", "p2", "p3"])
    for _ in 0..<5 {
      try sandbox.copy("ada.jsonl", to: "new")
      try sandbox.rename("new", to: "ada.jsonl")
      #expect(try read(&follower).isEmpty)
    }
    #expect(sandbox.disk.count(of: .open) - sandbox.disk.count(of: .close) == 1)
    follower.close()
    #expect(sandbox.disk.count(of: .open) == sandbox.disk.count(of: .close))
  }

  @Test func `a file that was overwritten in place is read again`() throws {
    try put(lines)
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == 12)
    // First shorter, then longer than before.
    try put(Array(lines.prefix(4)))
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(2)) + others + Array(lines[2...]))
    #expect(try read(&follower) == ["l1", "l2", "l3", "l4", "l5", "l6"])
  }

  @Test func `a different event under a returned ID is returned`() throws {
    let fork = Sandbox.lines(of: "tablet-aaaaaaaa", count: 3, at: 1)
    try put(Array(lines.prefix(5)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try replace(with: fork)
    #expect(try read(&follower) == ["t1", "t2", "t3"])
    try replace(with: Array(lines.prefix(6)))
    #expect(try read(&follower) == ["t6"])
  }

  @Test func `a follower waits for a removed file`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try sandbox.remove("ada.jsonl")
    #expect(try read(&follower).isEmpty)
    #expect(try read(&follower).isEmpty)
    // A partly copied file isn't a journal yet.
    try sandbox.put([0x7B])
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(4)))
    #expect(try read(&follower) == ["t4"])
  }

  // MARK: - Refusals

  @Test func `a follower's first step fails if the file isn't a journal`() throws {
    var follower = follower()
    #expect(failure { () throws(EventLogError) in _ = try follower.next() }?.code == .noJournal)
    try sandbox.put(Array("no event\n".utf8))
    #expect(failure { () throws(EventLogError) in _ = try follower.next() }?.code == .notAJournal)
    follower.close()
    try sandbox.put([])
    #expect(try read(&follower).isEmpty)
    try sandbox.begin(1)
    #expect(try read(&follower) == ["p1", "p2"])
    follower.close()
  }

  @Test func `a step throws the error of a failed read`() throws {
    try put(lines)
    for index in 0..<4 {
      var follower = follower()
      sandbox.disk.failNext(.read, after: index, with: .inputOutput, times: .max)
      let error = failure { () throws(EventLogError) in _ = try follower.next() }
      sandbox.disk.stopFailing()
      if let error {
        #expect(error.code == .inputOutput)
      } else {
        #expect(index > 0)
        #expect(try read(&follower).isEmpty)
      }
      follower.close()
    }
  }

  // MARK: - Random changes

  @Test func `every event is returned once under random changes of the file`() throws {
    for seed in RandomRounds(60) {
      var random = SplitMix64(seed: seed)
      let all = [lines, others]
      var counts = [1, 0]
      var order = [lines[0]]
      try put(order)
      var follower = follower()
      defer { follower.close() }
      var found = try read(&follower)
      for _ in 0..<30 {
        let device = Int.random(in: 0...1, using: &random)
        switch Int.random(in: 0...5, using: &random) {
        case 0...2:
          let count = Int.random(in: 0...(all[device].count - counts[device]), using: &random) / 2
          order += all[device][counts[device]..<(counts[device] + count)]
          counts[device] += count
          try put(order)
        case 3:
          let next = counts[device] < all[device].count ? all[device][counts[device]] : []
          let count = Int.random(in: 0...max(0, next.count - 2), using: &random)
          try put(order + [Array(next.prefix(count))])
        case 4:
          order.shuffle(using: &random)
          try replace(with: order)
        default:
          try sandbox.remove("ada.jsonl")
          found += try read(&follower)
          try put(order)
        }
        if Bool.random(using: &random) { found += try read(&follower) }
      }
      try put(order)
      found += try read(&follower)
      let expected = (1...counts[0]).map { "t\($0)" } + (0..<counts[1]).map { "l\($0 + 1)" }
      #expect(found.sorted() == expected.sorted(), "EVENTLOG_SEED=\(seed)")
      try sandbox.remove("ada.jsonl")
    }
  }
}
