import EventLogCollections
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogPipe

/// Messages of the pipe protocol, encoded and decoded.
@Suite struct PipeMessageTests {
  /// One message of each kind.
  private static let messages: [PipeMessage] = {
    var device = HandmadeDevice("phone-aaaaaaaa")
    _ = device.join(user: "ada")
    let range = EventRange(from: 1, to: device.tip)
    var result = ReceiveResult()
    result.received.insert(range)
    result.heldCount = 3
    result.hasDuplicateWriter = true
    for code: JournalProblem.Code in [.gap, .notJoined, .otherUser, .otherThanStated] {
      result.refuse(.init(device: device.id, sequence: 2, code: code))
    }
    result.refuse(.init(device: nil, sequence: nil, code: .line(.lineTooLong)))
    let statement = FrontierStatement(user: "ada", tips: [device.tip], missing: [range])
    var catalog = SchemaCatalog.standard
    catalog.revision = 7
    guard let schema = try? SchemaFile(of: catalog) else {
      preconditionFailure("It has a revision.")
    }
    return [
      .hello(PipeHello(user: "ada", device: device.id, isDryRun: true)),
      .welcome(version: 1), .welcome(version: 1, schema: schema.name), .schema(schema),
      .schema(nil),
      .statement(statement, isLast: false), .announce(statement, isLast: true),
      .question([HistoryQuery(holds: device.tip)]), .answer([device.tip.chain, nil]), .answer([]),
      .read([range], isLast: false), .lines(count: 2, byteCount: 20), .end, .result(result),
      .finish, .finished(notices: []), .finished(notices: ["It has damage."]), .wait(done: nil),
      .wait(done: 0), .wait(done: .max),
      .error(PipeComplaint(code: "locked", message: "It is busy.", hint: "Wait.")),
    ] + aboutContents
  }()

  private static let aboutContents: [PipeMessage] = {
    var hello = PipeHello()
    hello.wantsContents = true
    let content = ContentID(sha256: String(repeating: "0a", count: 32), byteCount: 9)
    return [
      .hello(hello), .welcome(version: 1, keepsContents: true), .contents(after: nil),
      .contents(after: content.sha256), .held([]), .held([content]),
      .fetch(content, offset: 2, count: 7), .part(byteCount: 0), .part(byteCount: 1 << 20),
      .offer(content), .taken(nil), .taken(0), .taken(9),
    ]
  }()

  @Test(arguments: [
    #"{"contents":{"after":"../secret"}}"#, #"{"contents":{"after":7}}"#, #"{"held":{}}"#,
    #"{"held":{"contents":[["HASH"]]}}"#, #"{"held":{"contents":[["HASH",-1]]}}"#,
    #"{"offer":{"sha256":"HASH"}}"#, #"{"offer":{"sha256":"HASH","size":9007199254740992}}"#,
    #"{"fetch":{"sha256":"HASH","size":9,"offset":3,"count":7}}"#,
    #"{"fetch":{"sha256":"HASH","size":9,"offset":-1,"count":1}}"#,
    #"{"fetch":{"sha256":"HASH","size":9000000,"offset":0,"count":1048577}}"#,
    #"{"part":{"bytes":1048577}}"#, #"{"part":{"bytes":-1}}"#, #"{"taken":{"bytes":-1}}"#,
  ])
  func `a message about contents with a false hash or size is refused`(text: String) {
    let hash = String(repeating: "0a", count: 32)
    let line = text.split(separator: "HASH", omittingEmptySubsequences: false)
      .joined(separator: hash)
    #expect(PipeMessage(line: Array(line.utf8)) == nil)
  }

  @Test func `every message round-trips`() throws {
    for message in Self.messages {
      let read = try #require(PipeMessage(line: message.bytes.dropLast()), "\(message)")
      #expect(read.name == message.name && read.bytes == message.bytes)
    }
  }

  @Test func `an unknown reason for a refusal is decoded as a gap`() throws {
    let text = #"{"result":{"received":[],"heldCount":0,"refused":[{"code":"ofTheFuture"}]}}"#
    guard case .result(let result)? = PipeMessage(line: Array(text.utf8)) else {
      Issue.record("no result")
      return
    }
    #expect(result.refused.map(\.code) == [.gap])
  }

  @Test func `a damaged message is refused or round-trips`() throws {
    let lines = Self.messages.map { Array($0.bytes.dropLast()) }
    var mutator = Mutator(FormatRandom.generator("Fuzz, messages"), donors: lines)
    var acceptedCount = 0
    for _ in 0..<Rounds.of(4_000) {
      var line = mutator.mutated(lines.randomElement(using: &mutator.random)!)
      for index in line.indices where line[index] == 0x0A { line[index] = 0x20 }
      guard let message = PipeMessage(line: line) else { continue }
      acceptedCount += 1
      if case .statement(let part, _) = message {
        var whole = FrontierStatement()
        if whole.add(part) { #expect(whole.parts == [part]) }
      }
      let reencoded = PipeMessage(line: message.bytes.dropLast())
      guard reencoded?.bytes == message.bytes else {
        Issue.record("\(String(decoding: line, as: UTF8.self).debugDescription)")
        return
      }
    }
    #expect(acceptedCount > Rounds.of(100))
  }

  @Test func `a statement of many devices is sent in parts`() throws {
    // The longest allowed names.
    let users = (1...3_000).map { String(repeating: "\"", count: 124) + "\($0)" }
    let ends = (1...3_000).map { number in
      let name = "\(number)".padding(to: 64)
      return FullEventID(
        device: DeviceID(name)!, sequence: LineLimits.sequenceMax, chain: .max)
    }
    var statement = FrontierStatement(
      user: "ada", adoptedUsers: users, tips: ends.sorted(),
      missing: ends.map { EventRange(from: LineLimits.sequenceMax, to: $0) }.sorted())
    statement.hasDuplicateWriter = true
    let parts = statement.parts
    #expect(parts.count == 6)
    var whole = FrontierStatement()
    for part in parts {
      let bytes = PipeMessage.statement(part, isLast: false).bytes
      #expect(bytes.count <= PipeLimits.messageBytesMax)
      let message = try #require(PipeMessage(line: bytes.dropLast()))
      guard case .statement(let read, isLast: false) = message else {
        Issue.record("\(message)")
        return
      }
      let isNew = whole.add(read)
      #expect(isNew)
    }
    #expect(whole == statement)
    let isNew = whole.add(parts[0])
    #expect(!isNew)
  }

  @Test func `a statement with too many missing events keeps the first ones`() throws {
    let device = DeviceID("damaged-aaaaaaaa")!
    let missing = (1...Int64(PipeLimits.totalCountMax) + 9).map {
      EventRange(device: device, first: $0, last: $0, chain: 1)
    }
    let tip = FullEventID(device: device, sequence: 1 << 20, chain: 1)
    var whole = FrontierStatement()
    for part in FrontierStatement(user: "ada", tips: [tip], missing: missing).parts {
      let isNew = whole.add(part)
      #expect(isNew)
    }
    #expect(whole.tips == [tip] && whole.missing == Array(missing.dropLast(9)))
  }
}

extension String {
  fileprivate func padding(to count: Int) -> String {
    String(repeating: "d", count: count - utf8.count) + self
  }
}
