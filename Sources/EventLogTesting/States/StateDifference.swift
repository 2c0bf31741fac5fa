public import EventLog

/// One way in which a state is not the one that was expected.
///
/// Its description names the place, the field, both values, and who wrote them:
/// `habit/read goal: expected 20, found 25 (written by tablet-k3f9a2xq:8 at 2026-01-28T…Z)`.
public struct StateDifference: Sendable, Hashable {
  /// What differs.
  public let kind: Kind
  /// The kind of a singleton, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`. Of the journal:
  /// `frontier`, `user` or `eventCount`.
  public let entity: String
  /// The field; of a frontier the device; nil where it is about the entity as a whole.
  public let field: String?
  /// What was expected; nil: nothing.
  public let expected: JSONValue?
  /// What is there; nil: nothing.
  public let found: JSONValue?
  /// Who wrote what was expected, where that is a state and not only its JSON.
  public let expectedOrigin: Snapshot.Origin?
  /// Who wrote what is there, or deleted what is not.
  public let foundOrigin: Snapshot.Origin?

  /// What a difference is about.
  public enum Kind: Sendable, Hashable {
    /// What a field shows.
    case value
    /// Whether an entity or a day is there.
    case presence
    /// A conflict that is open in only one of the states, or has other candidates or another base.
    case conflict
    /// Which events there are, and whose.
    case journal
  }

  /// The event to look at: the one behind what is there, else the one behind what was expected.
  public var event: EventID? { (foundOrigin ?? expectedOrigin)?.event }
}

extension StateDifference: CustomStringConvertible {
  /// One line for a person: the place, what was expected, what was found, and who wrote it.
  public var description: String {
    switch kind {
    case .value, .journal:
      "\(place): expected \(text(expected))\(clause("written", expectedOrigin)),"
        + " found \(text(found))\(clause("written", foundOrigin))"
    case .presence where found == nil:
      "\(place): expected\(clause("last written", expectedOrigin)),"
        + " not there\(clause("deleted", foundOrigin))"
    case .presence:
      "\(place): not expected\(clause("deleted", expectedOrigin)),"
        + " but there\(clause("last written", foundOrigin))"
    case .conflict:
      "\(place): expected \(conflict(expected)), found \(conflict(found))"
    }
  }

  private var place: String { field.map { "\(entity) \($0)" } ?? entity }

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
