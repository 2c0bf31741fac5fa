extension PipeMessage {
  /// Reads a line, given without its LF; nil for anything that is no message of this version, or
  /// one with more in it than a message may have.
  ///
  /// Members that are not known are passed over.
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
      self = .welcome(version: version)
    case "statement", "announce":
      guard let statement = reader.statement else { return nil }
      self =
        name == "statement"
        ? .statement(statement, isLast: reader.isLast) : .announce(statement, isLast: reader.isLast)
    case "question":
      guard let text = reader.text("event"), let event = EventID(text),
        let point = MessageReader.point(body["in"])
      else { return nil }
      self = .question(event, point)
    case "answer":
      guard let checksum = reader.answer else { return nil }
      self = .answer(checksum)
    case "read":
      guard let ranges = reader.ranges("ranges") else { return nil }
      self = .read(ranges, isLast: reader.isLast)
    case "lines":
      guard let count = reader.integer("count"), let bytes = reader.integer("bytes"),
        (1...Int64(LineBatch.linesMax)).contains(count),
        (count...Int64(PipeLimits.batchBytesMax)).contains(bytes)
      else { return nil }
      self = .lines(count: Int(count), byteCount: Int(bytes))
    case "end": self = .end
    case "reception":
      guard let reception = reader.reception else { return nil }
      self = .reception(reception)
    case "finish": self = .finish
    case "finished": self = .finished
    case "wait": self = .wait
    case "error":
      guard let code = reader.text("code"), let message = reader.text("message") else {
        return nil
      }
      self = .error(PipeComplaint(code: code, message: message, hint: reader.text("hint")))
    default: return nil
    }
  }
}

/// Reads the members of a message, each by its rule.
private struct MessageReader {
  private let body: JSONObject

  init(_ body: JSONObject) { self.body = body }

  func text(_ name: String) -> String? {
    if case .string(let text)? = body[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? { Self.integer(body[name]) }

  /// Whether nothing of the same follows.
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

  static func point(_ value: JSONValue?) -> HistoryPoint? {
    guard case .object(let object)? = value, let sequence = sequence(object["sequence"]),
      case .string(let digits)? = object["crc"], let checksum = LineChecksum(digits)
    else { return nil }
    return HistoryPoint(sequence: sequence, checksum: checksum)
  }

  var hello: PipeHello? {
    guard let versions = list("protocols")?.compactMap(Self.integer), !versions.isEmpty else {
      return nil
    }
    var hello = PipeHello(versions: versions)
    if let user = text("user") {
      guard Ledger.isValid(user: user) else { return nil }
      hello.user = user
    }
    if let name = text("device") {
      guard let device = DeviceID(name) else { return nil }
      hello.device = device
    }
    hello.isRehearsal = body["rehearsal"] == .bool(true)
    return hello
  }

  var statement: FrontierStatement? {
    var statement = FrontierStatement()
    if let user = text("user") {
      guard Ledger.isValid(user: user) else { return nil }
      statement.user = user
    }
    guard let adopted = list("adopted") else { return nil }
    for value in adopted {
      guard case .string(let user) = value, Ledger.isValid(user: user) else { return nil }
      statement.adoptedUsers.append(user)
    }
    guard body["frontier"] != nil, let frontier = points("frontier"),
      let withheld = points("withheld"), let hearsay = points("hearsay")
    else { return nil }
    statement.frontier = frontier
    statement.withheld = withheld.isEmpty ? [] : [withheld]
    statement.hearsay = hearsay.isEmpty ? [] : [hearsay]
    statement.hasTwin = body["twin"] == .bool(true)
    guard let stranded = ranges("stranded"), let reissues else { return nil }
    statement.stranded = stranded
    statement.reissues = reissues
    return statement
  }

  private func points(_ name: String) -> [DeviceID: HistoryPoint]? {
    guard let value = body[name] else { return [:] }
    guard case .object(let object) = value, object.members.count <= PipeLimits.partCountMax else {
      return nil
    }
    var points: [DeviceID: HistoryPoint] = [:]
    for member in object.members {
      guard let device = DeviceID(member.name), let point = Self.point(member.value) else {
        return nil
      }
      points[device] = point
    }
    return points
  }

  private var reissues: [Reissue]? {
    guard let reissues = Reissue.reissues(body["reissued"]),
      reissues.count <= PipeLimits.partCountMax
    else { return nil }
    return reissues
  }

  /// Nil for what is no answer; an answer can be that there is none.
  var answer: LineChecksum?? {
    guard body["crc"] != nil else { return .some(nil) }
    return text("crc").flatMap { LineChecksum($0) }.map { .some($0) }
  }

  func ranges(_ name: String) -> [EventRange]? {
    guard let values = list(name) else { return nil }
    var ranges: [EventRange] = []
    for value in values {
      guard case .object(let object) = value, case .string(let text)? = object["device"],
        let device = DeviceID(text), let first = Self.sequence(object["first"]),
        let last = Self.sequence(object["last"]), first <= last
      else { return nil }
      ranges.append(EventRange(device: device, first: first, last: last))
    }
    return ranges
  }

  var reception: Reception? {
    guard let received = ranges("received"), let held = integer("heldCount"),
      (0...Int64(LineBatch.linesMax)).contains(held), let refused = list("refused")
    else { return nil }
    var reception = Reception()
    for range in received { reception.received.insert(range) }
    reception.heldCount = Int(held)
    reception.hasTwin = body["twin"] == .bool(true)
    for value in refused {
      guard case .object(let object) = value, case .string(let code)? = object["code"] else {
        return nil
      }
      var refusal = Reception.Refusal(device: nil, sequence: nil, code: .init(text: code))
      if case .string(let text)? = object["device"] {
        guard let device = DeviceID(text), let sequence = Self.sequence(object["sequence"]) else {
          return nil
        }
        (refusal.device, refusal.sequence) = (device, sequence)
      }
      reception.refused.append(refusal)
    }
    return reception
  }
}

extension JournalProblem.Code {
  /// Reads the code of a refusal; one that a later version has is that the line is out of place.
  fileprivate init(text: String) {
    let others: [JournalProblem.Code] = [
      .gap, .fork, .chainMismatch, .unseenEvent, .staleSeen, .notJoined, .otherUser,
      .otherThanStated,
    ]
    self =
      LineFault.Code(rawValue: text).map { .line($0) } ?? others.first { $0.text == text }
      ?? .outOfOrder
  }
}
