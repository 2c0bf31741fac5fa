// The one-line descriptions of reports, for `print`.

extension SyncReport: CustomStringConvertible {
  /// A summary on one line, such as `received 2 events, sent 1 event, 1 new conflict`.
  public var description: String {
    Summary.line([
      "received \(Summary.count(pulledCount, "event"))",
      "sent \(Summary.count(pushedCount, "event"))",
      Summary.some(newConflicts.count, "new conflict"), Summary.some(refused.count, "refusal"),
      Summary.some(pending.saturatingCount, "event", "not available yet"),
      Summary.some(notPulled.saturatingCount, "event", "not received"),
      Summary.some(notPushed.saturatingCount, "event", "not sent"),
      Summary.some(missing.saturatingCount, "event", "missing"),
      Summary.some(refilled.saturatingCount, "event", "recovered"),
      damage.map { "damage in line \($0.line)" },
    ])
  }
}

extension AppendReceipt: CustomStringConvertible {
  /// A summary on one line, such as `appended 2 events, phone-k3f9a2xq:2 to phone-k3f9a2xq:3`.
  public var description: String {
    let ids = appended.map(\.id)
    let names = ids.count > 1 ? "\(ids[0]) to \(ids[ids.count - 1])" : ids.first?.description
    return Summary.line([
      "appended \(Summary.count(ids.count, "event"))", names,
      Summary.some(skippedCount, "event", "skipped"),
    ])
  }
}

extension CreationReceipt: CustomStringConvertible {
  /// A summary on one line, such as `created meal/oats`.
  public var description: String { "created \(id)" }
}

extension Snapshot: CustomStringConvertible {
  /// A summary on one line, such as `user ada, 6 events, 1 conflict`.
  ///
  /// To see the values, use ``json(sections:)``.
  ///
  /// - Complexity: O(*n*) on first access to the conflicts, where *n* is their number.
  public var description: String {
    Summary.line([
      user.map { "user \($0)" }, Summary.count(eventCount, "event"),
      Summary.some(conflicts.count, "conflict"),
      Summary.some(damage.filter(\.isDamage).count, "problem"),
    ])
  }
}

/// The parts of a summary.
package enum Summary {
  package static func line(_ parts: [String?]) -> String {
    parts.compactMap { $0 }.joined(separator: ", ")
  }

  package static func count(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The part for a count, or nil if the count is 0.
  package static func some(
    _ count: some BinaryInteger, _ noun: String, _ rest: String? = nil
  ) -> String? {
    count == 0 ? nil : self.count(count, noun) + (rest.map { " " + $0 } ?? "")
  }
}
