import EventLog
import EventLogRemotes

extension PipeMessage {
  /// Reads a line without its LF.
  ///
  /// Returns nil if it isn't a message of this version, or has more entries than allowed. Unknown
  /// members are ignored.
  init?(line: [UInt8]) {
    guard case .object(let object)? = try? JSONValue(parsing: line), object.members.count == 1,
      let name = object.members.first?.name, case .object(let body)? = object.members.first?.value
    else { return nil }
    let reader = MessageReader(body)
    switch name {
    case "hello":
      guard let hello = reader.hello else { return nil }
      self = .hello(hello)
    case "welcome":
      guard let version = reader.integer("protocol") else { return nil }
      self = .welcome(
        version: version, schema: reader.schemaName, keepsContents: reader.flag("contents"))
    case "statement", "announce":
      guard let statement = reader.statement else { return nil }
      self =
        name == "statement"
        ? .statement(statement, isLast: reader.isLast) : .announce(statement, isLast: reader.isLast)
    case "question":
      guard let queries = reader.queries else { return nil }
      self = .question(queries)
    case "answer":
      guard let chains = reader.chains else { return nil }
      self = .answer(chains)
    case "read":
      guard let ranges = reader.ranges("ranges") else { return nil }
      self = .read(ranges, isLast: reader.isLast)
    case "lines":
      guard let count = reader.integer("count"), let bytes = reader.integer("bytes"),
        (1...Int64(PipeLimits.batchLinesMax)).contains(count),
        (count...Int64(PipeLimits.batchBytesMax)).contains(bytes)
      else { return nil }
      self = .lines(count: Int(count), byteCount: Int(bytes))
    case "end": self = .end
    case "result":
      guard let result = reader.result else { return nil }
      self = .result(result)
    case "schema":
      guard let schema = reader.schema else { return nil }
      self = .schema(schema)
    case "finish": self = .finish
    case "finished":
      guard let notices = reader.texts("notices") else { return nil }
      self = .finished(notices: notices)
    case "wait":
      guard let done = reader.workDone else { return nil }
      self = .wait(done: done)
    case "contents", "held", "fetch", "offer", "part", "taken":
      guard let message = PipeMessage(aboutContents: name, reader) else { return nil }
      self = message
    case "error":
      guard let code = reader.text("code"), let message = reader.text("message") else {
        return nil
      }
      self = .error(PipeComplaint(code: code, message: message, hint: reader.text("hint")))
    default: return nil
    }
  }
}

extension PipeMessage {
  /// Reads a message of a transfer of contents.
  private init?(aboutContents name: String, _ reader: MessageReader) {
    switch name {
    case "contents":
      guard let hash = reader.hash("after") else { return nil }
      self = .contents(after: hash)
    case "held":
      guard let contents = reader.contents else { return nil }
      self = .held(contents)
    case "fetch":
      guard let content = reader.content, let offset = reader.integer("offset"),
        let count = reader.integer("count"), (0...content.byteCount).contains(offset),
        (1...Int64(ContentID.partBytes)).contains(count), count <= content.byteCount - offset
      else { return nil }
      self = .fetch(content, offset: offset, count: Int(count))
    case "offer":
      guard let content = reader.content else { return nil }
      self = .offer(content)
    case "part":
      guard let count = reader.integer("bytes"), (0...Int64(ContentID.partBytes)).contains(count)
      else { return nil }
      self = .part(byteCount: Int(count))
    default:
      guard let count = reader.heldBytes else { return nil }
      self = .taken(count)
    }
  }
}

/// Reads the members of a message, each by its rules.
private struct MessageReader {
  private let body: JSONObject

  init(_ body: JSONObject) { self.body = body }

  func text(_ name: String) -> String? {
    if case .string(let text)? = body[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? { Self.integer(body[name]) }

  func flag(_ name: String) -> Bool { body[name] == .bool(true) }

  /// The largest size of a content, which a number of JSON holds exactly.
  private static let contentBytesMax: Int64 = (1 << 53) - 1

  /// A hash, `.some(nil)` if there is none, or nil if it is invalid.
  func hash(_ name: String) -> String?? {
    guard let value = body[name] else { return .some(nil) }
    return Self.hash(value).map { .some($0) }
  }

  private static func hash(_ value: JSONValue?) -> String? {
    guard case .string(let text)? = value, text.utf8.count == 64,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return text
  }

  private static func content(_ hash: JSONValue?, _ size: JSONValue?) -> ContentID? {
    guard let sha256 = Self.hash(hash), let byteCount = integer(size),
      (0...contentBytesMax).contains(byteCount)
    else { return nil }
    return ContentID(sha256: sha256, byteCount: byteCount)
  }

  var content: ContentID? { Self.content(body["sha256"], body["size"]) }

  var contents: [ContentID]? {
    guard body["contents"] != nil, let values = list("contents") else { return nil }
    var contents: [ContentID] = []
    for value in values {
      guard case .array(let pair) = value, pair.count == 2,
        let content = Self.content(pair[0], pair[1])
      else { return nil }
      contents.append(content)
    }
    return contents
  }

  /// A number of bytes, `.some(nil)` if there is none, or nil if it is invalid.
  var heldBytes: Int64?? {
    guard body["bytes"] != nil else { return .some(nil) }
    return integer("bytes").flatMap { (0...Self.contentBytesMax).contains($0) ? .some($0) : nil }
  }

  /// The name of a schema file, `.some(nil)` if it isn't one, or nil if nothing is stated.
  var schemaName: SchemaFile.Name?? {
    body["schema"].map { _ in text("schema").flatMap { SchemaFile.Name($0) } }
  }

  /// The schema file, `.some(nil)` if there is none, or nil if it is invalid.
  var schema: SchemaFile?? {
    guard let name = text("name") else { return .some(nil) }
    guard let name = SchemaFile.Name(name), let content = text("content"),
      let schema = SchemaFile(name, Array(content.utf8))
    else { return nil }
    return schema
  }

  /// The stated amount of work, `.some(nil)` if there is none, or nil if it is invalid.
  var workDone: Int64?? {
    guard body["done"] != nil else { return .some(nil) }
    return integer("done").flatMap { $0 >= 0 ? .some($0) : nil }
  }

  /// Whether no part follows.
  var isLast: Bool { body["more"] != .bool(true) }

  private func list(_ name: String) -> [JSONValue]? {
    guard let value = body[name] else { return [] }
    guard case .array(let values) = value, values.count <= PipeLimits.partCountMax else {
      return nil
    }
    return values
  }

  private static func integer(_ value: JSONValue?) -> Int64? {
    if case .number(let number)? = value { number.integer } else { nil }
  }

  private static func sequence(_ value: JSONValue?) -> Int64? {
    integer(value).flatMap { (1...LineLimits.sequenceMax).contains($0) ? $0 : nil }
  }

  private static func chain(_ value: JSONValue?) -> UInt32? {
    if case .string(let digits)? = value { ChainDigits.value(digits.utf8) } else { nil }
  }

  /// Returns a list of texts, or nil if any entry isn't a text.
  func texts(_ name: String) -> [String]? {
    guard let values = list(name) else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { return nil }
      texts.append(text)
    }
    return texts
  }

  var hello: PipeHello? {
    guard let versions = list("protocols")?.compactMap(Self.integer), !versions.isEmpty else {
      return nil
    }
    var hello = PipeHello(versions: versions)
    if let user = text("user") {
      guard JournalUsers.isValid(user: user) else { return nil }
      hello.user = user
    }
    if let name = text("device") {
      guard let device = DeviceID(name) else { return nil }
      hello.device = device
    }
    hello.isDryRun = flag("dryRun")
    hello.wantsContents = flag("contents")
    return hello
  }

  var statement: FrontierStatement? {
    var statement = FrontierStatement()
    if let user = text("user") {
      guard JournalUsers.isValid(user: user) else { return nil }
      statement.user = user
    }
    guard let adopted = texts("adopted"), adopted.allSatisfy(JournalUsers.isValid(user:)),
      body["tips"] != nil, let tips, let missing = ranges("missing")
    else { return nil }
    statement.adoptedUsers = adopted
    statement.tips = tips
    statement.missing = missing
    statement.hasDuplicateWriter = body["duplicate"] == .bool(true)
    return statement
  }

  private var tips: [FullEventID]? {
    guard let texts = texts("tips") else { return nil }
    let tips = texts.compactMap { FullEventID($0) }
    return tips.count == texts.count ? tips : nil
  }

  /// The queries, at least one, each written as `[sequence,"full ID"]`.
  var queries: [HistoryQuery]? {
    guard let values = list("queries"), !values.isEmpty else { return nil }
    var queries: [HistoryQuery] = []
    for value in values {
      guard case .array(let pair) = value, pair.count == 2, let sequence = Self.sequence(pair[0]),
        case .string(let text) = pair[1], let tip = FullEventID(text), sequence <= tip.sequence
      else { return nil }
      queries.append(HistoryQuery(sequence: sequence, in: tip))
    }
    return queries
  }

  /// The chain for each query; a nil element is an event that isn't held.
  var chains: [UInt32?]? {
    guard body["chains"] != nil, let values = list("chains") else { return nil }
    var chains: [UInt32?] = []
    for value in values {
      let chain = Self.chain(value)
      if chain == nil, value != .null { return nil }
      chains.append(chain)
    }
    return chains
  }

  func ranges(_ name: String) -> [EventRange]? {
    guard let values = list(name) else { return nil }
    var ranges: [EventRange] = []
    for value in values {
      guard case .object(let object) = value, case .string(let text)? = object["device"],
        let device = DeviceID(text), let first = Self.sequence(object["first"]),
        let last = Self.sequence(object["last"]), first <= last,
        let chain = Self.chain(object["chain"])
      else { return nil }
      ranges.append(EventRange(device: device, first: first, last: last, chain: chain))
    }
    return ranges
  }

  var result: ReceiveResult? {
    guard let received = ranges("received"), let held = integer("heldCount"),
      (0...Int64(PipeLimits.batchLinesMax)).contains(held), let refused = list("refused")
    else { return nil }
    var result = ReceiveResult()
    for range in received { result.received.insert(range) }
    result.heldCount = Int(held)
    result.hasDuplicateWriter = body["duplicate"] == .bool(true)
    for value in refused {
      guard case .object(let object) = value, case .string(let code)? = object["code"] else {
        return nil
      }
      var refusal = ReceiveResult.Refusal(device: nil, sequence: nil, code: .init(text: code))
      if case .string(let text)? = object["device"] {
        guard let device = DeviceID(text), let sequence = Self.sequence(object["sequence"]) else {
          return nil
        }
        (refusal.device, refusal.sequence) = (device, sequence)
      }
      result.refuse(refusal)
    }
    return result
  }
}

extension JournalProblem.Code {
  /// Reads the code of a refusal; a code of a later version is read as a gap.
  fileprivate init(text: String) {
    let others: [JournalProblem.Code] = [.gap, .notJoined, .otherUser, .otherThanStated]
    self =
      LineFault.Code(rawValue: text).map { .line($0) } ?? others.first { $0.text == text } ?? .gap
  }
}
