package import EventLog

/// An event with everything that it has seen.
package struct ReferenceEvent {
  /// The ID as it is shown: with its chain if the journal has another event with the same ID.
  package let id: EventID
  package let fullID: FullEventID
  /// The time, which is meaningless for a line of a later version.
  package let at: Timestamp
  package let type: String
  /// `<kind>/<key>`.
  package let entity: String?
  /// The data by ``ReferenceValue/plain(_:)`` names.
  package let data: [String: JSONValue]
  package let line: ReferenceLine
  /// The index among all events of the journal.
  package let number: Int
  /// The numbers of all events that it has seen, including its own.
  package let clock: NumberSet
  /// The numbers of its device's history, up to and including its own.
  package let past: NumberSet
  /// The source that the first event of its history states, with its place, or nil.
  package let source: [String]?

  /// The effects, or nil if it breaks a rule of its type, is unknown, or of a later version.
  package var effects: [ReferenceEffect]?

  /// Whether the event is valid, but one of its values breaks the rule of its field.
  package var isPartlyUnreadable: Bool {
    (effects ?? []).contains { effect in
      switch effect {
      case .register(_, _, _, let isReadable, _): !isReadable
      case .total(_, _, let value):
        value != .null && !ReferenceValue.isAmount(value, from: 0)
      case .increment(_, _, let value): !ReferenceValue.isAmount(value, from: -1_000_000_000)
      case .set:
        if case .array(let values)? = data["members"] {
          ReferenceValue.texts(.array(values)).count < values.count
        } else {
          true
        }
      case .include, .exclude, .day, .entry, .deletion, .restoration: false
      }
    }
  }

  package var version: Int64 { line.version }

  /// Creates the held event with a number.
  package init(_ number: Int, in histories: ReferenceHistories) {
    line = histories.lines[number]!
    self.number = number
    fullID = line.id
    id = histories.id(of: number)
    at = line.at ?? Timestamp(milliseconds: 0)!
    type = line.type
    entity = line.entity?.description
    data = Dictionary(
      line.data.members.map { (ReferenceValue.plain($0.name), $0.value) },
      uniquingKeysWith: { first, _ in first })
    clock = histories.clock(of: number)
    past = histories.pasts[number]
    source = histories.path(to: number).first.flatMap { histories.lines[$0]?.source }
  }

  package func hasSeen(_ other: ReferenceEvent) -> Bool {
    number != other.number && clock.contains(other.number)
  }

  /// Whether the event descends from the other one.
  package func continues(from other: ReferenceEvent) -> Bool {
    number != other.number && past.contains(other.number)
  }

  /// Whether the event is later in the order of concurrent writes: (`at`, device, sequence, chain).
  package func isLater(than other: ReferenceEvent) -> Bool {
    if at != other.at { return at > other.at }
    let (one, two) = (Array(fullID.device.text.utf8), Array(other.fullID.device.text.utf8))
    if one != two { return two.lexicographicallyPrecedes(one) }
    return (fullID.sequence, fullID.chain) > (other.fullID.sequence, other.fullID.chain)
  }
}

/// The ranks of the names under which an event writes a register, the oldest being 0.
package struct ReferenceRanks: Sendable, Hashable {
  package var low: Int
  /// `Int.max` for the register's own name.
  package var high: Int

  /// The rank of a register without earlier names.
  package static let only = ReferenceRanks(low: 0, high: .max)
}

/// One effect of a valid, known event.
///
/// A row is `profile`, `settings`, `<kind>/<key>`, or `<kind>/<key>@<date>`.
package enum ReferenceEffect {
  case register(
    row: String, field: String, JSONValue, isReadable: Bool = true, ranks: ReferenceRanks = .only)
  /// A value of a dated field, from a day on, or from the beginning if the day is empty. It is
  /// `null` if it can't be read.
  case entry(
    row: String, field: String, from: String, JSONValue, ranks: ReferenceRanks = .only)
  case total(row: String, field: String, JSONValue)
  case increment(row: String, field: String, JSONValue)
  case set(row: String, field: String)
  case include(row: String, field: String, String)
  case exclude(row: String, field: String, String)
  case day(String)
  case deletion
  case restoration
}
