package import EventLog

/// A publisher's statement at a remote: the events that it holds, and those that it knows to be
/// missing.
package struct FrontierObject: Sendable {
  let name: FrontierName
  package let statement: FrontierStatement
  var user: String { statement.user ?? "" }

  /// The content of the object: one line of JSON.
  static func content(_ statement: FrontierStatement) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONObject([
      .init(name: "version", value: 1),
      .init(name: "user", value: .string(statement.user ?? "")),
      .init(name: "adopted", value: .array(statement.adoptedUsers.map { .string($0) })),
      .init(name: "tips", value: .array(statement.tips.map { .string($0.description) })),
      .init(name: "missing", value: .array(statement.missing.map(json))),
    ]).write(to: &bytes)
    return bytes + [0x0A]
  }

  /// Returns nil if the bytes don't match the name's checksum or aren't a frontier.
  package init?(_ name: FrontierName, _ bytes: [UInt8]) {
    guard let object = Self.object(name, bytes),
      // A later version may use the same members with another meaning.
      object["version"]?.integer == 1, case .string(let user)? = object["user"],
      JournalUsers.isValid(user: user),
      let adopted = object["adopted"]?.list(\.plainText),
      let tips = object["tips"]?.list({ $0.plainText.flatMap { FullEventID($0) } }),
      let missing = object["missing"]?.list(Self.range)
    else { return nil }
    self.name = name
    statement = FrontierStatement(user: user, adoptedUsers: adopted, tips: tips, missing: missing)
  }

  /// Whether the bytes match the checksum and are from a later version.
  static func isOfLaterVersion(_ name: FrontierName, _ bytes: [UInt8]) -> Bool {
    object(name, bytes)?["version"]?.integer ?? 0 > 1
  }

  private static func object(_ name: FrontierName, _ bytes: [UInt8]) -> JSONObject? {
    guard CRC32C.checksum(bytes) == name.checksum,
      case .object(let object)? = try? JSONValue(parsing: bytes)
    else { return nil }
    return object
  }

  private static func json(_ range: EventRange) -> JSONValue {
    [
      "device": .string(range.device.text), "first": .number(JSONNumber(range.first)),
      "last": .number(JSONNumber(range.last)), "chain": .string(ChainDigits.text(range.chain)),
    ]
  }

  private static func range(_ value: JSONValue) -> EventRange? {
    guard case .object(let object) = value,
      let device = object["device"]?.plainText.flatMap({ DeviceID($0) }),
      let first = object["first"]?.integer, let last = object["last"]?.integer,
      1 <= first, first <= last, last <= LineLimits.sequenceMax,
      let chain = object["chain"]?.plainText, let chain = ChainDigits.value(chain.utf8)
    else { return nil }
    return EventRange(device: device, first: first, last: last, chain: chain)
  }
}
