/// Which events undid an adoption, or brought back what such an undo had hidden.
///
/// Behind these events, a `user.adopted` says how many of its device's events before it hide what
/// the adopted user wrote, or show it again. They copy what others wrote, and are nobody's choice.
struct AdoptionMarks: Sendable {
  /// What such a `user.adopted` says.
  struct Mark: Sendable {
    var point: Ledger.Point
    var user: String
    var hides: Bool
    /// How many events of its device before it.
    var count: Int64
  }

  /// Those that hide a user and that none has followed which shows the user again.
  let open: [Mark]
  private let ledger: Ledger
  private var events: [Int32: [ClosedRange<Int64>]] = [:]

  /// - Parameter marks: as they were read: each after what it has seen.
  init(_ marks: [Mark], _ ledger: Ledger) {
    self.ledger = ledger
    var open: [Mark] = []
    for mark in marks {
      open.removeAll {
        $0.user.hasBytes(of: mark.user) && ledger.hasSeen(mark.point, $0.point)
      }
      if mark.hides { open.append(mark) }
    }
    self.open = open
    for mark in marks { note(mark) }
  }

  private mutating func note(_ mark: Mark) {
    var (branch, last, rest) = (mark.point.branch, mark.point.sequence - 1, mark.count)
    let device = ledger.branches[Int(branch)].device
    while rest > 0, branch >= 0, ledger.branches[Int(branch)].device == device {
      let place = ledger.branches[Int(branch)]
      let first = max(place.first, last - rest + 1)
      if first <= last {
        events[branch, default: []].append(first...last)
        rest -= last - first + 1
      }
      (branch, last) = (place.parent, place.after)
    }
  }

  /// Whether a device has written any of the events.
  func hasAny(of device: DeviceID) -> Bool {
    events.keys.contains { ledger.device(of: Int($0)) == device }
  }

  /// Whether an event is one of them, by another reading of the journal.
  func contains(_ point: Ledger.Point, in other: Ledger) -> Bool {
    if events.isEmpty { return false }
    guard let here = ledger.locate(other.fullID(point)), let ranges = events[here.branch] else {
      return false
    }
    return ranges.contains { $0.contains(here.sequence) }
  }
}

/// Collects what undone adoptions have left in a journal.
struct AdoptionMarkSink: EventSink {
  private(set) var marks: [AdoptionMarks.Mark] = []

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.version == 1, canonical.matches(layout.type, "user.adopted"),
      let user = Ledger.text("from", of: layout, in: canonical),
      case .object(let data) = JSONValue(canonical: canonical.copy(layout.data)[...])
    else { return }
    for (name, hides) in [("hides", true), ("shows", false)] {
      guard case .number(let number)? = data[name], let count = number.integer,
        (0..<layout.sequence).contains(count)
      else { continue }
      marks.append(
        .init(
          point: .init(branch: Int32(branch), sequence: layout.sequence), user: user,
          hides: hides, count: count))
      return
    }
  }
}

extension JournalBatch {
  /// Says of the last events of the own device that they hide what adopted users wrote, or show it
  /// again.
  ///
  /// - Throws: the errors of ``add(_:hasMore:)``.
  mutating func mark(_ turn: AdoptionTurn, _ count: Int) throws(EventLogError) {
    for (index, user) in turn.users.enumerated() {
      // Those of the others are in between.
      let count = JSONValue.number(JSONNumber(Int64(count + index)))
      _ = try add(
        EventDraft(
          type: "user.adopted",
          data: JSONObject([
            .init(name: "from", value: .string(user)),
            .init(name: turn.hides ? "hides" : "shows", value: count),
            .init(name: "to", value: .string(pass.ledger.user ?? "")),
          ])))
    }
  }
}

/// Adopted users whose events are hidden, or shown again.
struct AdoptionTurn: Sendable {
  var users: [String]
  var hides: Bool

  var reversed: AdoptionTurn { AdoptionTurn(users: users, hides: !hides) }
}
