extension PipeMessage {
  /// The message with its LF.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    JSONObject([.init(name: name, value: .object(JSONObject(members)))]).write(to: &bytes)
    return bytes + [0x0A]
  }

  private var members: [JSONObject.Member] {
    switch self {
    case .hello(let hello):
      var members = [Self.member("protocols", .array(hello.versions.map(Self.number)))]
      if let user = hello.user { members.append(Self.member("user", .string(user))) }
      if let device = hello.device { members.append(Self.member("device", .string(device.text))) }
      if hello.isRehearsal { members.append(Self.member("rehearsal", .bool(true))) }
      return members
    case .welcome(let version): return [Self.member("protocol", Self.number(version))]
    case .statement(let statement, let isLast), .announce(let statement, let isLast):
      return Self.members(of: statement) + Self.more(isLast)
    case .question(let event, let point):
      return [
        Self.member("event", .string(event.description)), Self.member("in", Self.value(of: point)),
      ]
    case .answer(let checksum):
      return checksum.map { [Self.member("crc", .string($0.text))] } ?? []
    case .read(let ranges, let isLast):
      return [Self.member("ranges", .array(ranges.map(Self.value)))] + Self.more(isLast)
    case .lines(let count, let byteCount):
      return [
        Self.member("count", Self.number(Int64(count))),
        Self.member("bytes", Self.number(Int64(byteCount))),
      ]
    case .reception(let reception): return Self.members(of: reception)
    case .error(let complaint):
      return [
        Self.member("code", .string(complaint.code)),
        Self.member("message", .string(complaint.message)),
      ] + (complaint.hint.map { [Self.member("hint", .string($0))] } ?? [])
    case .end, .finish, .finished, .wait: return []
    }
  }

  private static func member(_ name: String, _ value: JSONValue) -> JSONObject.Member {
    .init(name: name, value: value)
  }

  private static func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

  private static func more(_ isLast: Bool) -> [JSONObject.Member] {
    isLast ? [] : [member("more", .bool(true))]
  }

  private static func value(of point: HistoryPoint) -> JSONValue {
    .object(
      JSONObject([
        member("sequence", number(point.sequence)),
        member("crc", .string(point.checksum.text)),
      ]))
  }

  private static func value(of range: EventRange) -> JSONValue {
    .object(
      JSONObject([
        member("device", .string(range.device.text)), member("first", number(range.first)),
        member("last", number(range.last)),
      ]))
  }

  private static func members(of statement: FrontierStatement) -> [JSONObject.Member] {
    let points = statement.frontier.sorted { $0.key < $1.key }.map { device, point in
      member(device.text, value(of: point))
    }
    var members = [member("frontier", .object(JSONObject(points)))]
    if !statement.stranded.isEmpty {
      members.append(member("stranded", .array(statement.stranded.map(value))))
    }
    if !statement.reissues.isEmpty {
      let reissues = statement.reissues.map { member($0.device.text, .string($0.was)) }
      members.append(member("reissued", .object(JSONObject(reissues))))
    }
    if !statement.adoptedUsers.isEmpty {
      members.insert(
        member("adopted", .array(statement.adoptedUsers.map { .string($0) })), at: 0)
    }
    if let user = statement.user { members.insert(member("user", .string(user)), at: 0) }
    return members
  }

  private static func members(of reception: Reception) -> [JSONObject.Member] {
    let refused = reception.refused.map { refusal -> JSONValue in
      var members = [member("code", .string(refusal.code.text))]
      if let device = refusal.device { members.append(member("device", .string(device.text))) }
      if let sequence = refusal.sequence { members.append(member("sequence", number(sequence))) }
      return .object(JSONObject(members))
    }
    return [
      member("received", .array(reception.received.ranges.map(value))),
      member("heldCount", number(Int64(reception.heldCount))),
      member("refused", .array(refused)),
    ]
  }
}

extension FrontierStatement {
  /// The statement in parts, each of which fits into a message; at least one.
  var parts: [FrontierStatement] {
    // What is said of a device is some 130 bytes, of a user as many.
    let size = PipeLimits.partCountMax / 4
    let devices = frontier.sorted { $0.key < $1.key }
    let longest = max(devices.count, adoptedUsers.count, stranded.count, reissues.count)
    let partCount = max(1, (longest + size - 1) / size)
    return (0..<partCount).map { number in
      func part<Element>(_ all: [Element]) -> [Element] {
        Array(all.dropFirst(number * size).prefix(size))
      }
      return FrontierStatement(
        user: number == 0 ? user : nil, adoptedUsers: part(adoptedUsers),
        frontier: Dictionary(uniqueKeysWithValues: part(devices).map { ($0, $1) }),
        stranded: part(stranded), reissues: part(reissues))
    }
  }

  /// Adds a part.
  ///
  /// - Returns: false where it says again what was said, or there is too much of it.
  mutating func add(_ part: FrontierStatement) -> Bool {
    if part.user != nil, user != nil { return false }
    user = user ?? part.user
    let count = frontier.count + part.frontier.count
    frontier.merge(part.frontier) { first, _ in first }
    adoptedUsers += part.adoptedUsers
    stranded += part.stranded
    reissues += part.reissues
    let longest = max(count, adoptedUsers.count, stranded.count, reissues.count)
    return frontier.count == count && longest <= PipeLimits.totalCountMax
  }
}
