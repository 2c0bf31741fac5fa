public import EventLog

/// A difference between a state and the expected one.
///
/// Its description contains the entity, the field, both values, and the events that wrote them:
/// `habit/read goal: expected 20, found 25 (written by tablet-k3f9a2xq:8 at 2026-01-28T…Z)`.
public struct StateDifference: Sendable, Hashable {
  /// The kind of difference.
  public let kind: Kind
  /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
  ///
  /// For a difference of the journals: `frontier`, `user`, or `eventCount`. For a missing section:
  /// its name.
  public let entity: String
  /// The name of the field, or the device for a difference of the frontiers.
  ///
  /// `nil` if the difference is about the entity as a whole.
  public let field: String?
  /// The expected value, or `nil` if none was expected.
  public let expected: JSONValue?
  /// The actual value, or `nil` if there is none.
  public let found: JSONValue?
  /// The event that wrote the expected value, if the expected state isn't just JSON.
  public let expectedOrigin: Snapshot.Origin?
  /// The event that wrote the actual value, or that deleted the entity.
  public let foundOrigin: Snapshot.Origin?

  /// The kinds of differences.
  public enum Kind: Sendable, Hashable {
    /// The value of a field differs.
    case value
    /// An entity or a day exists in only one of the states.
    case presence
    /// A conflict exists in only one of the states, or has different candidates or another base.
    case conflict
    /// The states contain different events, or belong to different users.
    case journal
    /// The expected state of a recorded journal lacks the section of a declared collection, so
    /// nothing of it would be compared.
    case section
  }

  /// The event to examine: the one that wrote the actual value, or else the expected value.
  public var event: EventID? { (foundOrigin ?? expectedOrigin)?.event }
}

extension StateDifference: CustomStringConvertible {
  /// The difference on one line: the entity, the field, both values, and the events that wrote
  /// them.
  public var description: String {
    switch kind {
    case .value, .journal:
      "\(subject): expected \(text(expected))\(clause("written", expectedOrigin)),"
        + " found \(text(found))\(clause("written", foundOrigin))"
    case .section:
      "\(subject): the expected state lacks this section; write it with all records of the app"
    case .presence where found == nil:
      "\(subject): expected\(clause("last written", expectedOrigin)),"
        + " not found\(clause("deleted", foundOrigin))"
    case .presence:
      "\(subject): not expected\(clause("deleted", expectedOrigin)),"
        + " but found\(clause("last written", foundOrigin))"
    case .conflict:
      "\(subject): expected \(conflict(expected)), found \(conflict(found))"
    }
  }

  private var subject: String { field.map { "\(entity) \($0)" } ?? entity }

  private func text(_ value: JSONValue?) -> String {
    guard let text = value?.text else { return "nothing" }
    return text.count <= 200 ? text : text.prefix(200) + "…"
  }

  private func clause(_ done: String, _ origin: Snapshot.Origin?) -> String {
    guard let origin else { return "" }
    return " (\(done) by \(origin.event)\(origin.at.map { " at \($0)" } ?? ""))"
  }

  private func conflict(_ value: JSONValue?) -> String {
    guard case .object(let conflict) = value else { return "no conflict" }
    var sides: [String] = []
    if case .array(let candidates) = conflict["candidates"] {
      for case .object(let candidate) in candidates {
        guard case .string(let event) = candidate["event"] else { continue }
        sides.append("\(text(candidate["value"])) by \(event)")
      }
    }
    return "a conflict between \(sides.joined(separator: " and "))"
      + ", which was \(text(conflict["base"]))"
  }
}
