// A statement on its way through a pipe.

extension FrontierStatement {
  /// The statement in parts, each of which fits into a message; at least one.
  ///
  /// A journal speaks for itself: of what others could say there is one of each sort.
  var parts: [FrontierStatement] {
    // What is said of a device is some 130 bytes, of a user as many.
    let size = PipeLimits.partCountMax / 8
    let lists = [frontier, Self.union(withheld), Self.union(hearsay)].map { points in
      points.sorted { $0.key < $1.key }
    }
    let longest = (lists.map(\.count) + [adoptedUsers.count, stranded.count, reissues.count]).max()
    let partCount = max(1, ((longest ?? 0) + size - 1) / size)
    return (0..<partCount).map { number in
      func part<Element>(_ all: [Element]) -> [Element] {
        Array(all.dropFirst(number * size).prefix(size))
      }
      let points = lists.map { list in
        Dictionary(uniqueKeysWithValues: part(list).map { ($0.key, $0.value) })
      }
      var statement = FrontierStatement(
        user: number == 0 ? user : nil, adoptedUsers: part(adoptedUsers), frontier: points[0],
        stranded: part(stranded), reissues: part(reissues))
      if !points[1].isEmpty { statement.withheld = [points[1]] }
      if !points[2].isEmpty { statement.hearsay = [points[2]] }
      statement.hasTwin = number == 0 && hasTwin
      return statement
    }
  }

  /// Adds a part.
  ///
  /// - Returns: false where it says again what was said, or there is too much of it.
  mutating func add(_ part: FrontierStatement) -> Bool {
    if part.user != nil, user != nil { return false }
    user = user ?? part.user
    hasTwin = hasTwin || part.hasTwin
    let count = frontier.count + part.frontier.count
    frontier.merge(part.frontier) { first, _ in first }
    withheld = [Self.union(withheld + part.withheld)].filter { !$0.isEmpty }
    hearsay = [Self.union(hearsay + part.hearsay)].filter { !$0.isEmpty }
    adoptedUsers += part.adoptedUsers
    stranded += part.stranded
    reissues += part.reissues
    let counts = [
      count, adoptedUsers.count, stranded.count, reissues.count, withheld.first?.count ?? 0,
      hearsay.first?.count ?? 0,
    ]
    return frontier.count == count && counts.allSatisfy { $0 <= PipeLimits.totalCountMax }
  }

  private static func union(_ points: [[DeviceID: HistoryPoint]]) -> [DeviceID: HistoryPoint] {
    points.reduce(into: [:]) { all, points in all.merge(points) { _, later in later } }
  }

  // MARK: - Writing

  /// What a message says of it.
  var members: [JSONObject.Member] {
    var members: [JSONObject.Member] = []
    if let user { members.append(.init(name: "user", value: .string(user))) }
    if !adoptedUsers.isEmpty {
      members.append(.init(name: "adopted", value: .array(adoptedUsers.map { .string($0) })))
    }
    members.append(.init(name: "frontier", value: Self.json(frontier)))
    if !stranded.isEmpty {
      members.append(.init(name: "stranded", value: .array(stranded.map(\.json))))
    }
    if let withheld = withheld.first {
      members.append(.init(name: "withheld", value: Self.json(withheld)))
    }
    if let hearsay = hearsay.first {
      members.append(.init(name: "hearsay", value: Self.json(hearsay)))
    }
    if !reissues.isEmpty {
      members.append(.init(name: "reissued", value: Reissue.json(reissues)))
    }
    if hasTwin { members.append(.init(name: "twin", value: .bool(true))) }
    return members
  }

  private static func json(_ points: [DeviceID: HistoryPoint]) -> JSONValue {
    .object(
      JSONObject(
        points.sorted { $0.key < $1.key }.map { device, point in
          JSONObject.Member(name: device.text, value: point.json)
        }))
  }
}

extension HistoryPoint {
  /// `{"sequence","crc"}`
  var json: JSONValue {
    .object(
      JSONObject([
        .init(name: "sequence", value: .number(JSONNumber(sequence))),
        .init(name: "crc", value: .string(checksum.text)),
      ]))
  }
}

extension EventRange {
  /// `{"device","first","last"}`
  var json: JSONValue {
    .object(
      JSONObject([
        .init(name: "device", value: .string(device.text)),
        .init(name: "first", value: .number(JSONNumber(first))),
        .init(name: "last", value: .number(JSONNumber(last))),
      ]))
  }
}
