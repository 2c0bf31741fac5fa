import EventLog
import EventLogInspection

extension DifferenceReport {
  var json: JSONValue {
    .sorted([
      .init(name: "left", value: .array(difference.left.map(\.json))),
      .init(name: "right", value: .array(difference.right.map(\.json))),
      .init(name: "forks", value: .array(difference.forks.map(\.json))),
      .init(name: "refused", value: .array(difference.refused.map(\.json))),
      .init(name: "fields", value: .array(difference.fields.map(Self.json))),
      .init(
        name: "conflicts",
        value: .array(
          difference.conflicts.map { conflict in
            conflict.json { difference.side(of: $0).rawValue }
          })),
    ])
  }

  private static func json(_ field: JournalDifference.Field) -> JSONValue {
    .sorted([
      .init(name: "entity", value: .string(field.entity)),
      .init(name: "field", value: .string(field.field)),
      .init(name: "left", value: field.left ?? .null),
      .init(name: "right", value: field.right ?? .null),
    ])
  }
}
