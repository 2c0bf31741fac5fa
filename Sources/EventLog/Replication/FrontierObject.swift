/// What a writer of a shared place says it holds.
struct FrontierObject: Sendable {
  let name: FrontierName
  var user: String
  var adoptedUsers: [String]
  var points: [DeviceID: HistoryPoint]
  var reissues: [Reissue] = []
  /// What the writer holds and does not put here: where its side of a fork begins, or the last
  /// event behind a hole.
  var withheld: [DeviceID: HistoryPoint] = [:]
  /// Earlier points of the histories that `points` end, at which others were.
  var earlier: [DeviceID: [HistoryPoint]] = [:]
  /// Devices whose history, as the writer holds it, cannot be compared with the visitor's: not all
  /// of it is there.
  var unreadable: Set<DeviceID> = []
  /// Up to where it is known all the same that the two agree, or the writer's was not given up:
  /// what has seen later events may have seen other ones than the visitor's.
  var limits: [DeviceID: Int64] = [:]

  /// The points that can be compared.
  var claims: [DeviceID: HistoryPoint] { points.filter { !unreadable.contains($0.key) } }

  /// The content of the object: one line of JSON.
  static func content(
    _ statement: FrontierStatement, user: String, earlier: [DeviceID: [HistoryPoint]] = [:]
  ) -> [UInt8] {
    var members: [JSONObject.Member] = [
      .init(name: "version", value: .number(JSONNumber(1))),
      .init(name: "user", value: .string(user)),
      .init(name: "adopted", value: .array(statement.adoptedUsers.map { .string($0) })),
      .init(name: "frontier", value: .object(Self.object(statement.frontier))),
    ]
    let withheld = withheld(statement)
    if !withheld.isEmpty {
      members.append(.init(name: "withheld", value: .object(object(withheld))))
    }
    if !statement.reissues.isEmpty {
      members.append(.init(name: "reissued", value: Reissue.json(statement.reissues)))
    }
    if !earlier.isEmpty {
      let devices = earlier.sorted { $0.key < $1.key }.map { device, points in
        JSONObject.Member(name: device.text, value: .array(points.map(json)))
      }
      members.append(.init(name: "earlier", value: .object(JSONObject(devices))))
    }
    var bytes: [UInt8] = []
    JSONObject(members).write(to: &bytes)
    return bytes + [0x0A]
  }

  /// What a statement says besides, of each device the latest; of a fork where it begins.
  static func withheld(_ statement: FrontierStatement) -> [DeviceID: HistoryPoint] {
    (statement.hearsay + statement.withheld).reduce(into: [:]) { all, points in
      all.merge(points) { _, later in later }
    }
  }

  private static func object(_ points: [DeviceID: HistoryPoint]) -> JSONObject {
    JSONObject(
      points.sorted { $0.key < $1.key }.map { device, point in
        JSONObject.Member(name: device.text, value: json(point))
      })
  }

  /// Nil where one of the members is no point.
  private static func points(_ object: JSONObject) -> [DeviceID: HistoryPoint]? {
    var points: [DeviceID: HistoryPoint] = [:]
    for member in object.members {
      guard let device = DeviceID(member.name), let point = point(member.value) else { return nil }
      points[device] = point
    }
    return points
  }

  private static func json(_ point: HistoryPoint) -> JSONValue {
    .object(
      JSONObject([
        .init(name: "sequence", value: .number(JSONNumber(point.sequence))),
        .init(name: "crc", value: .string(point.checksum.description)),
      ]))
  }

  private static func point(_ value: JSONValue) -> HistoryPoint? {
    guard case .object(let point) = value, case .number(let number)? = point["sequence"],
      let sequence = number.integer, (1...LineLimits.sequenceMax).contains(sequence),
      case .string(let digits)? = point["crc"], let checksum = LineChecksum(digits)
    else { return nil }
    return HistoryPoint(sequence: sequence, checksum: checksum)
  }

  /// Whether these bytes are whole, and a later version has written them.
  static func isOfLaterVersion(_ name: FrontierName, _ bytes: [UInt8]) -> Bool {
    guard CRC32C.checksum(bytes) == name.checksum,
      case .object(let object)? = try? JSONValue(parsing: bytes),
      case .number(let version)? = object["version"]
    else { return false }
    return version.integer ?? 0 > 1
  }

  /// Nil for bytes that are not all of what the name says, or none of this form.
  init?(_ name: FrontierName, _ bytes: [UInt8]) {
    guard CRC32C.checksum(bytes) == name.checksum,
      case .object(let object)? = try? JSONValue(parsing: bytes),
      // A later version may mean something else by the same words.
      case .number(let version)? = object["version"], version.integer == 1,
      case .string(let user)? = object["user"],
      case .array(let adopted)? = object["adopted"],
      case .object(let frontier)? = object["frontier"], let points = Self.points(frontier)
    else { return nil }
    self.name = name
    self.user = user
    adoptedUsers = adopted.compactMap { value in
      if case .string(let text) = value { text } else { nil }
    }
    self.points = points
    if case .object(let withheld)? = object["withheld"] {
      self.withheld = Self.points(withheld) ?? [:]
    }
    guard let reissues = Reissue.reissues(object["reissued"]) else { return nil }
    self.reissues = reissues
    earlier = Self.earlier(object["earlier"])
  }

  /// None where the member is absent, or of another form: it is a help, and no more.
  private static func earlier(_ value: JSONValue?) -> [DeviceID: [HistoryPoint]] {
    guard case .object(let object)? = value else { return [:] }
    var earlier: [DeviceID: [HistoryPoint]] = [:]
    for member in object.members {
      guard let device = DeviceID(member.name), case .array(let points) = member.value else {
        continue
      }
      earlier[device] = points.compactMap(point)
    }
    return earlier
  }
}
