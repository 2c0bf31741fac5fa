import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Reading on, step by step, whatever becomes of the file between two steps.
@Suite struct JournalFollowerTests {
  private let sandbox: Sandbox
  private let lines = Sandbox.lines(of: "tablet-aaaaaaaa", count: 12)
  private let others = Sandbox.lines(of: "laptop-bbbbbbbb", count: 6)

  init() throws { sandbox = try Sandbox() }

  private func follower() -> JournalFollower {
    JournalFollower(path: sandbox.path, fileSystem: sandbox.disk)
  }

  /// Reads to the end; the sequences of each device's events, in the order handed over.
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

  /// As a restoring from a backup does it.
  private func replace(with lines: [[UInt8]]) throws {
    try put(lines, "new")
    try sandbox.rename("new", to: "ada.jsonl")
  }

  // MARK: - Reading on

  @Test func `only what is new is read`() throws {
    try put(Array(lines.prefix(10)))
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == 10)
    #expect(try read(&follower).isEmpty)
    sandbox.disk.resetCounts()
    try put(Array(lines.prefix(11)))
    #expect(try read(&follower) == ["t11"])
    // The mark, the new line, the end behind it, the next mark; and the record.
    #expect(sandbox.disk.count(of: .read) <= 6)
    #expect(sandbox.disk.count(of: .open) <= 1)
  }

  @Test func `many events come in bounded steps, in the order of the file`() throws {
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

  @Test func `a step that ends at damage goes on behind it`() throws {
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

  @Test func `what a writer appends is read, and a doubtful end when it is whole`() throws {
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

  @Test func `a doubtful end that is cut and written over is read as what it became`() throws {
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

  @Test func `spaces behind the end are no line`() throws {
    let room = [[UInt8](repeating: 0x20, count: 4096)]
    try put(Array(lines.prefix(2)) + room)
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower) == ["t1", "t2"])
    try put(Array(lines.prefix(3)) + room)
    #expect(try read(&follower) == ["t3"])
    #expect(follower.end.doubtfulTail == nil)
  }

  @Test func `a last line without its LF is handed over once`() throws {
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

  // MARK: - Another file

  /// Follows a file of eight lines, of which the fourth is damaged.
  private func followDamaged() throws -> (follower: JournalFollower, lines: [[UInt8]]) {
    var damaged = Array(lines.prefix(8))
    damaged[3] = Sandbox.broken(damaged[3])
    try put(damaged)
    var follower = follower()
    #expect(try read(&follower) == ["t1", "t2", "t3", "t5", "t6", "t7", "t8"])
    #expect(follower.findings.problems.map(\.code) == [.line(.malformed), .gap])
    return (follower, damaged)
  }

  @Test func `a gap that is filled brings what was missing, and nothing twice`() throws {
    var (follower, damaged) = try followDamaged()
    defer { follower.close() }
    try put(damaged + [lines[3], lines[8]])
    let found = try read(&follower)
    #expect(found.sorted() == ["t4", "t9"])
    #expect(follower.findings.problemCount == 0)
    #expect(follower.findings.notes.map(\.code) == [.note(.deadBytes)])
    #expect(try read(&follower).isEmpty)
  }

  @Test func `a file that was replaced brings what was missing, and nothing twice`() throws {
    var (follower, _) = try followDamaged()
    defer { follower.close() }
    try replace(with: Array(lines.prefix(3)) + others + Array(lines[3...]))
    #expect(
      try read(&follower)
        == ["l1", "l2", "l3", "l4", "l5", "l6", "t4", "t9", "t10", "t11", "t12"])
    #expect(follower.findings.problemCount == 0)
    #expect(try read(&follower).isEmpty)
  }

  @Test func `what was appended before the file was replaced is not missed`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try put(Array(lines.prefix(5)))
    try replace(with: others)
    #expect(try read(&follower) == ["t4", "t5", "l1", "l2", "l3", "l4", "l5", "l6"])
  }

  @Test func `files that were replaced are closed`() throws {
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

  @Test func `a file that was written over in place is read anew`() throws {
    try put(lines)
    var follower = follower()
    defer { follower.close() }
    #expect(try read(&follower).count == 12)
    // Shorter, then longer than what was read.
    try put(Array(lines.prefix(4)))
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(2)) + others + Array(lines[2...]))
    #expect(try read(&follower) == ["l1", "l2", "l3", "l4", "l5", "l6"])
  }

  @Test func `another event under an ID that was handed over is handed over`() throws {
    let fork = Sandbox.lines(of: "tablet-aaaaaaaa", count: 3, user: "ada", at: 1_700_000_000_001)
    try put(Array(lines.prefix(5)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try replace(with: fork)
    #expect(try read(&follower) == ["t1", "t2", "t3"])
    try replace(with: Array(lines.prefix(6)))
    #expect(try read(&follower) == ["t6"])
  }

  @Test func `a file that is removed is waited for`() throws {
    try put(Array(lines.prefix(3)))
    var follower = follower()
    defer { follower.close() }
    _ = try read(&follower)
    try sandbox.remove("ada.jsonl")
    #expect(try read(&follower).isEmpty)
    #expect(try read(&follower).isEmpty)
    // What is being copied there is no journal yet.
    try sandbox.put([0x7B])
    #expect(try read(&follower).isEmpty)
    try put(Array(lines.prefix(4)))
    #expect(try read(&follower) == ["t4"])
  }

  // MARK: - Refusals

  @Test func `what is no journal at the beginning is refused`() throws {
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

  @Test func `a call that fails is said`() throws {
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

  // MARK: - Whatever happens

  @Test func `no event comes twice, and none is missed, whatever becomes of the file`() throws {
    for seed in RandomRounds(60) {
      var random = SplitMix64(seed: seed)
      let all = [lines, others]
      var held = [1, 0]
      var order = [lines[0]]
      try put(order)
      var follower = follower()
      defer { follower.close() }
      var found = try read(&follower)
      for _ in 0..<30 {
        let device = Int.random(in: 0...1, using: &random)
        switch Int.random(in: 0...5, using: &random) {
        case 0...2:
          let count = Int.random(in: 0...(all[device].count - held[device]), using: &random) / 2
          order += all[device][held[device]..<(held[device] + count)]
          held[device] += count
          try put(order)
        case 3:
          let next = held[device] < all[device].count ? all[device][held[device]] : []
          let count = Int.random(in: 0...max(0, next.count - 2), using: &random)
          try put(order + [Array(next.prefix(count))])
        case 4:
          // Any other order.
          order.shuffle(using: &random)
          try replace(with: order)
        default:
          try sandbox.remove("ada.jsonl")
          _ = try read(&follower)
          try put(order)
        }
        if Bool.random(using: &random) { found += try read(&follower) }
      }
      try put(order)
      found += try read(&follower)
      let expected = (1...held[0]).map { "t\($0)" } + (0..<held[1]).map { "l\($0 + 1)" }
      #expect(found.sorted() == expected.sorted(), "EVENTLOG_SEED=\(seed)")
      try sandbox.remove("ada.jsonl")
    }
  }
}
