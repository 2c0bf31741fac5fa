import EventLog

/// Compares two states by row and field and finds the writers of the differences.
struct StateComparison {
  let expected: StateTable
  let found: StateTable
  /// The expected state, or nil if it is only JSON.
  let expectedState: Snapshot?
  let foundState: Snapshot

  /// The differences by row and field, then those of conflicts, then those of the journals.
  var differences: [StateDifference] {
    rowDifferences + conflictDifferences + journalDifferences
  }

  // MARK: - Rows

  private var rowDifferences: [StateDifference] {
    var differences: [StateDifference] = []
    var missing: Set<Substring> = []
    for row in Set(expected.rows.keys).union(found.rows.keys).sortedByBytes {
      // The days of a missing entity are missing, too.
      if let at = row.firstIndex(of: "@"), missing.contains(row[..<at]) { continue }
      switch (expected.rows[row], found.rows[row]) {
      case (let expected?, let found?):
        differences += fieldDifferences(row, expected, found)
      case (let expected?, nil):
        missing.insert(row[...])
        differences.append(
          presence(
            row, .object(expected), nil, expectedState?.lastWrite(row, expected),
            foundState.deletion(of: row)))
      case (nil, let found?):
        missing.insert(row[...])
        differences.append(
          presence(
            row, nil, .object(found), expectedState?.deletion(of: row),
            foundState.lastWrite(row, found)))
      case (nil, nil): break
      }
    }
    return differences
  }

  private func presence(
    _ row: String, _ expected: JSONValue?, _ found: JSONValue?,
    _ expectedOrigin: Snapshot.Origin?, _ foundOrigin: Snapshot.Origin?
  ) -> StateDifference {
    StateDifference(
      kind: .presence, entity: row, field: nil, expected: expected, found: found,
      expectedOrigin: expectedOrigin, foundOrigin: foundOrigin)
  }

  // MARK: - Fields

  private func fieldDifferences(
    _ row: String, _ expected: JSONObject, _ found: JSONObject
  ) -> [StateDifference] {
    let names =
      expected.members.map(\.name)
      + found.members.map(\.name).filter {
        expected[$0] == nil
      }
    return names.sortedByBytes.compactMap { name in
      let (old, new) = (expected[name], found[name])
      let isSet = foundState.isSet(name, in: row) || expectedState?.isSet(name, in: row) == true
      if old == new || isSet && old?.members == new?.members { return nil }
      return StateDifference(
        kind: .value, entity: row, field: name, expected: old, found: new,
        expectedOrigin: expectedState?.origin(of: name, in: row, of: old, unlike: new),
        foundOrigin: foundState.origin(of: name, in: row, of: new, unlike: old))
    }
  }

  // MARK: - Conflicts

  private var conflictDifferences: [StateDifference] {
    guard let expected = expected.conflicts, let found = found.conflicts else { return [] }
    let ids =
      expected.members.map(\.name)
      + found.members.map(\.name).filter {
        expected[$0] == nil
      }
    return ids.sortedByBytes.compactMap { id in
      let (old, new) = (expected[id], found[id])
      if old?.byCandidate == new?.byCandidate { return nil }
      let row = id.prefix { $0 != "#" }
      let shown = foundState.conflicts.first { $0.id.hasBytes(of: id) }
      return StateDifference(
        kind: .conflict, entity: String(row), field: String(id.dropFirst(row.count + 1)),
        expected: old, found: new, expectedOrigin: nil,
        foundOrigin: shown?.candidates.last.map { .init(event: $0.event, at: $0.at) })
    }
  }

  // MARK: - Journals

  private var journalDifferences: [StateDifference] {
    var differences: [StateDifference] = []
    for (name, old) in expected.journal.sorted(by: { $0.key < $1.key }) {
      let new = found.journal[name]
      guard name == "frontier", let old = Self.tips(old), let new = Self.tips(new) else {
        if old != new { differences.append(journal(name, nil, old, new)) }
        continue
      }
      for device in Set(old.keys).union(new.keys).sorted() where old[device] != new[device] {
        let (old, new) = (old[device], new[device])
        differences.append(
          journal(name, device.text, old.map { .array($0) }, new.map { .array($0) }))
      }
    }
    // Report a missing event only once.
    let hasFrontier = differences.contains { $0.entity == "frontier" }
    return differences.filter { !hasFrontier || $0.entity != "eventCount" }
  }

  /// Returns the tips of a frontier by device, or nil for any other value.
  private static func tips(_ frontier: JSONValue?) -> [DeviceID: [JSONValue]]? {
    guard case .array(let frontier) = frontier else { return nil }
    var tips: [DeviceID: [JSONValue]] = [:]
    for entry in frontier {
      guard case .string(let text) = entry, let tip = FullEventID(text) else { return nil }
      tips[tip.device, default: []].append(entry)
    }
    return tips
  }

  private func journal(
    _ name: String, _ device: String?, _ expected: JSONValue?, _ found: JSONValue?
  ) -> StateDifference {
    StateDifference(
      kind: .journal, entity: name, field: device, expected: expected, found: found,
      expectedOrigin: nil, foundOrigin: nil)
  }
}

extension Snapshot {
  /// Returns the deletion of an entity, or of a day's entity, or nil if it is visible.
  fileprivate func deletion(of row: String) -> Origin? {
    let name = String(row.prefix { $0 != "@" })
    guard let entity = EntityID(name), isHidden(entity) else { return nil }
    return origin(of: "presence", in: name)
  }

  /// Returns the last write to an entity, or to these fields of a day.
  fileprivate func lastWrite(_ row: String, _ fields: JSONObject) -> Origin? {
    guard row.contains("@") else { return origin(of: "presence", in: row) }
    return fields.members.compactMap { origin(of: $0.name, in: row) }
      .max { ($0.at?.milliseconds ?? .min) < ($1.at?.milliseconds ?? .min) }
  }

  /// Returns the write of a value, or of a member that the other set lacks.
  fileprivate func origin(
    of field: String, in row: String, of value: JSONValue?, unlike other: JSONValue?
  ) -> Origin? {
    guard isSet(field, in: row) else { return origin(of: field, in: row) }
    let known = Set((other?.members ?? []).map { Array($0.utf8) })
    return (value?.members ?? []).first { !known.contains(Array($0.utf8)) }
      .flatMap { origin(ofMember: $0, of: field, in: row) }
  }
}

extension JSONValue {
  /// The sorted members of a set, or nil for any other value.
  fileprivate var members: [String]? {
    guard case .array(let values) = self else { return nil }
    var texts: [String] = []
    for case .string(let text) in values { texts.append(text) }
    return texts.count == values.count ? texts.sortedByBytes : nil
  }

  /// The conflict with its candidates keyed by event.
  fileprivate var byCandidate: JSONValue {
    guard case .object(var conflict) = self, case .array(let candidates) = conflict["candidates"]
    else { return self }
    var sorted = JSONObject()
    for case .object(let candidate) in candidates {
      if case .string(let event) = candidate["event"] { sorted[event] = .object(candidate) }
    }
    conflict["candidates"] = .object(sorted)
    return .object(conflict)
  }
}

extension Sequence<String> {
  /// Sorted by UTF-8 bytes, like all output.
  fileprivate var sortedByBytes: [String] {
    sorted { $0.precedes($1) }
  }
}
