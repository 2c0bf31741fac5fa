import EventLog
import EventLogUndo

/// The events that undo adoptions, or reverse those undos.
///
/// A `user.adopted` event follows them as a mark. It states how many of its device's preceding
/// events hide the writes of the adopted user, or show them again. The copied values are
/// other users' and weren't chosen by a user.
struct AdoptionMarks {
  /// A mark: the statement of a `user.adopted` event.
  struct Mark {
    var point: Ledger.Point
    var user: String
    var hides: Bool
    /// The number of marked events, which directly precede the mark in its device's history.
    var count: Int64
  }

  /// The marks that hide a user and that no later mark has reversed.
  let open: [Mark]
  /// The marked events.
  let events: [EventRange]

  /// - Parameter marks: The marks in reading order, so that each follows those that it has seen.
  init(_ marks: [Mark], _ ledger: Ledger) {
    var open: [Mark] = []
    for mark in marks {
      open.removeAll {
        $0.user.hasBytes(of: mark.user) && ledger.hasSeen(mark.point, $0.point)
      }
      if mark.hides { open.append(mark) }
    }
    self.open = open
    events = marks.compactMap { ledger.marked(by: $0.point, count: $0.count) }
  }
}

private struct AdoptionMarkSink: EventSink {
  private(set) var marks: [AdoptionMarks.Mark] = []

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.version == 1, canonical.matches(layout.type, "user.adopted"),
      let user = Ledger.text("from", of: layout, in: canonical),
      let mark = HidingMark(of: layout, in: canonical)
    else { return }
    marks.append(
      .init(
        point: .init(branch: Int32(branch), sequence: layout.sequence), user: user,
        hides: mark.hides, count: mark.count))
  }
}

extension Journal {
  private func marks() throws(EventLogError) -> (AdoptionMarks, Ledger) {
    var sink = AdoptionMarkSink()
    let ledger = try read(into: &sink)
    return (AdoptionMarks(sink.marks, ledger), ledger)
  }

  /// Returns the writes to hide: those of an adopted user, and of the users whom that user had
  /// adopted.
  ///
  /// - Throws: `invalidInput` if the journal's user hasn't adopted that user; `noJournal`,
  ///   `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  func writes(hiding user: String) throws(EventLogError) -> LeftOutWrites {
    let (marks, ledger) = try marks()
    guard ledger.users.adopted.contains(Array(user.utf8)) else {
      throw .notAdopted(user, ledger)
    }
    let added = ledger.devices(of: user)
    let hidden = marks.open.map(\.user)
    return LeftOutWrites(
      of: hidden.reduce(into: added) { $0.formUnion(ledger.devices(of: $1)) }, added: added,
      undos: marks.events, in: ledger, isRepeated: hidden.contains { $0.hasBytes(of: user) },
      mark: .adoption(of: [user], isHidden: true, in: ledger))
  }

  /// Returns the writes that stay hidden when an adopted user, and the users whom that user had
  /// adopted, are shown again.
  ///
  /// - Returns: The writes, or nil if none of these users is hidden.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  func writes(showing user: String) throws(EventLogError) -> LeftOutWrites? {
    let (marks, ledger) = try marks()
    let family = ledger.users.family(of: user)
    // Undos that the user made before the adoption stay in effect.
    let theirs = ledger.devices(of: user)
    let shown = marks.open.filter {
      family.contains(Array($0.user.utf8))
        && !theirs.contains(ledger.device(of: Int($0.point.branch)))
    }.map(\.user)
    if shown.isEmpty { return nil }
    let hidden = marks.open.map(\.user).filter { !shown.contains($0) }
    return LeftOutWrites(
      of: hidden.reduce(into: []) { $0.formUnion(ledger.devices(of: $1)) }, added: [],
      undos: marks.events, in: ledger, isRepeated: false,
      mark: .adoption(of: Set(shown).sorted(), isHidden: false, in: ledger))
  }
}

extension UndoMark {
  /// Creates the marks of events that hide the writes of adopted users, or show them again.
  fileprivate static func adoption(
    of users: [String], isHidden: Bool, in ledger: Ledger
  ) -> UndoMark {
    let owner = ledger.user ?? ""
    // The count includes the marks of the preceding users.
    return UndoMark { count, isReversed in
      users.enumerated().map { index, user in
        EventDraft(
          type: "user.adopted",
          data: JSONObject([
            .init(name: "from", value: .string(user)),
            HidingMark.member(hides: isHidden != isReversed, count: count + index),
            .init(name: "to", value: .string(owner)),
          ]))
      }
    }
  }
}

extension Ledger {
  /// Returns the devices that joined only as a user, or as users whom that user has adopted. Users
  /// outside this journal are ignored.
  func devices(of user: String) -> Set<DeviceID> {
    let family = users.family(of: user)
    let found = devices.indices.filter { device in
      let own = users.users(of: device).filter(users.belongs)
      return !own.isEmpty && own.allSatisfy(family.contains)
    }
    return Set(found.map { DeviceID(trusted: names.text($0)) })
  }
}

extension EventLogError {
  fileprivate static func notAdopted(_ user: String, _ ledger: Ledger) -> EventLogError {
    let adopted = ledger.users.adoptedUsers
    return EventLogError(
      .invalidInput, "This journal's user has not adopted \"\(user)\". Nothing was written.",
      hint: adopted.isEmpty
        ? "No user was adopted into this journal, so there is nothing to undo."
        : "Use the name of an adopted user: \(adopted.firstFew).")
  }
}
