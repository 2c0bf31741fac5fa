// A statement on its way through a pipe.

import EventLog

extension FrontierStatement {
  /// The statement in parts, each of which fits into a message; at least one.
  ///
  /// Of more missing events than the other side takes, the first ones are stated: the others are
  /// filled by a later run.
  var parts: [FrontierStatement] {
    // A tip takes some 100 bytes, a range 150, and a user up to 260.
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

  /// Whether a part says anything; only the last one may say nothing.
  var saysSomething: Bool {
    user != nil || !adoptedUsers.isEmpty || !tips.isEmpty || !missing.isEmpty
  }

  /// Adds a part.
  ///
  /// - Returns: false where there is too much of it, or it does not go on in order: then it may say
  ///   something again.
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

  /// What a message says of it.
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
  /// Whether all of `others` stand behind this in ascending order, none of them twice.
  fileprivate func isFollowed(by others: [Element]) -> Bool {
    let all = suffix(1) + others
    return zip(all, all.dropFirst()).allSatisfy(<)
  }
}

extension EventRange {
  /// `{"device","first","last","chain"}`
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
