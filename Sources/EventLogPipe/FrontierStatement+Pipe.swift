import EventLog

extension FrontierStatement {
  /// The statement in parts that each fit into a message; at least one.
  ///
  /// If there are more missing events than the other side accepts, only the first ones are stated.
  /// Later runs fill the others.
  var parts: [FrontierStatement] {
    // A tip takes about 100 bytes, a range 150, and a user up to 260.
    let size = PipeLimits.partCountMax / 8
    let tips = Set(tips).sorted()
    let missing = Set(missing).sorted().prefix(PipeLimits.totalCountMax)
    let longest = max(tips.count, missing.count, adoptedUsers.count)
    let partCount = max(1, (longest + size - 1) / size)
    return (0..<partCount).map { number in
      func part<Element>(_ all: some Collection<Element>) -> [Element] {
        Array(all.dropFirst(number * size).prefix(size))
      }
      var statement = FrontierStatement(
        user: number == 0 ? user : nil, adoptedUsers: part(adoptedUsers), tips: part(tips),
        missing: part(missing))
      statement.hasDuplicateWriter = number == 0 && hasDuplicateWriter
      return statement
    }
  }

  /// Whether the part contains anything, as all but the last one must.
  var saysSomething: Bool {
    user != nil || !adoptedUsers.isEmpty || !tips.isEmpty || !missing.isEmpty
  }

  /// Adds a part.
  ///
  /// - Returns: False if the statement is too large, or the part isn't in ascending order, and
  ///   could therefore repeat entries.
  mutating func add(_ part: FrontierStatement) -> Bool {
    if part.user != nil, user != nil { return false }
    let isInOrder = tips.isFollowed(by: part.tips) && missing.isFollowed(by: part.missing)
    user = user ?? part.user
    adoptedUsers += part.adoptedUsers
    tips += part.tips
    missing += part.missing
    hasDuplicateWriter = hasDuplicateWriter || part.hasDuplicateWriter
    let longest = max(tips.count, missing.count, adoptedUsers.count)
    return isInOrder && longest <= PipeLimits.totalCountMax
  }

  // MARK: - Writing

  /// The members of a message with the statement.
  var members: [JSONObject.Member] {
    var members: [JSONObject.Member] = []
    if let user { members.append(.init(name: "user", value: .string(user))) }
    if !adoptedUsers.isEmpty {
      members.append(.init(name: "adopted", value: .array(adoptedUsers.map { .string($0) })))
    }
    members.append(.init(name: "tips", value: .array(tips.map { .string($0.description) })))
    if !missing.isEmpty {
      members.append(.init(name: "missing", value: .array(missing.map(\.json))))
    }
    if hasDuplicateWriter { members.append(.init(name: "duplicate", value: .bool(true))) }
    return members
  }
}

extension Array where Element: Comparable {
  /// Whether `others` continue the array in ascending order, without duplicates.
  fileprivate func isFollowed(by others: [Element]) -> Bool {
    let all = suffix(1) + others
    return zip(all, all.dropFirst()).allSatisfy(<)
  }
}

extension EventRange {
  /// The JSON object `{"device","first","last","chain"}`.
  var json: JSONValue {
    .object(
      JSONObject([
        .init(name: "device", value: .string(device.text)),
        .init(name: "first", value: .number(JSONNumber(first))),
        .init(name: "last", value: .number(JSONNumber(last))),
        .init(name: "chain", value: .string(ChainDigits.text(chain))),
      ]))
  }
}
