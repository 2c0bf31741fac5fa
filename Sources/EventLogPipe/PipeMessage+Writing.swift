import EventLog
import EventLogRemotes

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
      if hello.isDryRun { members.append(Self.member("dryRun", .bool(true))) }
      if hello.wantsContents { members.append(Self.member("contents", .bool(true))) }
      return members
    case .welcome(let version, let schema, let keepsContents):
      return [Self.member("protocol", Self.number(version))]
        + (schema.map { [Self.member("schema", $0.map { .string($0.text) } ?? .null)] } ?? [])
        + (keepsContents ? [Self.member("contents", .bool(true))] : [])
    case .schema(let schema):
      guard let schema else { return [] }
      return [
        Self.member("name", .string(schema.name.text)),
        Self.member("content", .string(String(decoding: schema.content, as: UTF8.self))),
      ]
    case .statement(let statement, let isLast), .announce(let statement, let isLast):
      return statement.members + Self.more(isLast)
    case .question(let queries):
      let values = queries.map { query in
        JSONValue.array([Self.number(query.sequence), .string(query.tip.description)])
      }
      return [Self.member("queries", .array(values))]
    case .answer(let chains):
      let values = chains.map { $0.map { JSONValue.string(ChainDigits.text($0)) } ?? .null }
      return [Self.member("chains", .array(values))]
    case .read(let ranges, let isLast):
      return [Self.member("ranges", .array(ranges.map(\.json)))] + Self.more(isLast)
    case .lines(let count, let byteCount):
      return [
        Self.member("count", Self.number(Int64(count))),
        Self.member("bytes", Self.number(Int64(byteCount))),
      ]
    case .result(let result): return Self.members(of: result)
    case .finished(let notices):
      return notices.isEmpty ? [] : [Self.member("notices", .array(notices.map { .string($0) }))]
    case .contents(let hash): return hash.map { [Self.member("after", .string($0))] } ?? []
    case .held(let contents):
      let values = contents.map { content in
        JSONValue.array([.string(content.sha256), Self.number(content.byteCount)])
      }
      return [Self.member("contents", .array(values))]
    case .fetch(let content, let offset, let count):
      return Self.members(of: content) + [
        Self.member("offset", Self.number(offset)), Self.member("count", Self.number(Int64(count))),
      ]
    case .offer(let content): return Self.members(of: content)
    case .part(let byteCount): return [Self.member("bytes", Self.number(Int64(byteCount)))]
    case .taken(let byteCount):
      return byteCount.map { [Self.member("bytes", Self.number($0))] } ?? []
    case .error(let complaint):
      return [
        Self.member("code", .string(complaint.code)),
        Self.member("message", .string(complaint.message)),
      ] + (complaint.hint.map { [Self.member("hint", .string($0))] } ?? [])
    case .wait(let done): return done.map { [Self.member("done", Self.number($0))] } ?? []
    case .end, .finish: return []
    }
  }

  private static func member(_ name: String, _ value: JSONValue) -> JSONObject.Member {
    .init(name: name, value: value)
  }

  private static func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

  private static func members(of content: ContentID) -> [JSONObject.Member] {
    [member("sha256", .string(content.sha256)), member("size", number(content.byteCount))]
  }

  private static func more(_ isLast: Bool) -> [JSONObject.Member] {
    isLast ? [] : [member("more", .bool(true))]
  }

  private static func members(of result: ReceiveResult) -> [JSONObject.Member] {
    let refused = result.refused.map { refusal -> JSONValue in
      var members = [member("code", .string(refusal.code.text))]
      if let device = refusal.device { members.append(member("device", .string(device.text))) }
      if let sequence = refusal.sequence { members.append(member("sequence", number(sequence))) }
      return .object(JSONObject(members))
    }
    return [
      member("received", .array(result.received.ranges.map(\.json))),
      member("heldCount", number(Int64(result.heldCount))),
      member("refused", .array(refused)),
    ] + (result.hasDuplicateWriter ? [member("duplicate", .bool(true))] : [])
  }
}
