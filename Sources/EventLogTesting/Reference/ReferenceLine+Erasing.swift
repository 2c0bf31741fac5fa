import EventLog

extension ReferenceLine {
  /// The events that an `event.erased` names: consecutive ones, or members of one of them.
  var erasures: [(first: Int64, last: FullEventID, members: Set<String>?)] {
    guard version == 1, type == "event.erased" else { return [] }
    func objects(_ name: String) -> [JSONObject] {
      guard case .array(let values)? = data[name] else { return [] }
      return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
    func event(_ value: JSONValue?) -> FullEventID? {
      value.flatMap(ReferenceValue.string).flatMap(FullEventID.init)
    }
    var found: [(first: Int64, last: FullEventID, members: Set<String>?)] = []
    for range in objects("ranges") {
      if let last = event(range["last"]),
        let first = range["first"].flatMap(ReferenceValue.integer),
        first >= 1, first <= last.sequence
      {
        found.append((first, last, nil))
      }
    }
    for part in objects("parts") {
      guard let event = event(part["event"]), case .array(let names)? = part["members"] else {
        continue
      }
      let members = Set(names.compactMap(ReferenceValue.string).map(ReferenceValue.plain))
      found.append((event.sequence, event, members))
    }
    return found
  }

  /// Returns the line without members of its data, or without any content.
  func erasing(_ members: Set<String>?) -> ReferenceLine {
    let isKept =
      type.hasPrefix("device.") || type.hasPrefix("user.")
      || ["event.erased", "content.released"].contains(type)
    if version == 1, isKept || version == 0 { return self }
    var left: JSONObject?
    if let members {
      if version != 1 { return self }
      left = JSONObject(data.members.filter { !members.contains(ReferenceValue.plain($0.name)) })
      if left?.members.count == data.members.count { return self }
      if !hasRoom(for: left!) { return self }
    }
    return ReferenceLine(
      id: id, before: before, at: left == nil ? nil : at, type: left == nil ? "" : type,
      entity: left == nil ? nil : entity, data: left ?? [:], version: left == nil ? 0 : 1,
      seen: seen, hasMore: hasMore, isErased: true, bytes: bytes)
  }

  /// Whether the line with these data has room for `,"erased":"` and at least 12 characters.
  private func hasRoom(for data: JSONObject) -> Bool {
    guard case .object(let object)? = try? JSONValue(parsing: bytes) else { return false }
    let names = ["id", "at", "type", "entity", "seen", "ref", "more"]
    var members = names.compactMap { name in
      object[name].map { JSONObject.Member(name: name, value: $0) }
    }
    members.removeAll { $0.name == "seen" && $0.value == [] }
    members.append(.init(name: "data", value: .object(data)))
    var text: [UInt8] = []
    JSONObject(members).write(to: &text)
    return text.count - 1 + 24 <= bytes.count - 26
  }
}
