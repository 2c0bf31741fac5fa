package import EventLog

/// Events to append if the journal is still the one that they were planned from.
package struct PlannedAppend: Sendable {
  let events: [EventDraft]
  let frontier: VectorClock
  let mark: UndoMark?

  /// - Parameters:
  ///   - events: The events.
  ///   - frontier: The frontier of the journal that they were planned from.
  ///   - mark: The events that follow them, also if there are none.
  package init(_ events: [EventDraft], at frontier: VectorClock, markedBy mark: UndoMark? = nil) {
    (self.events, self.frontier, self.mark) = (events, frontier, mark)
  }
}

extension UndoMark {
  /// A mark of no events.
  package static let none = UndoMark { _, _ in [] }
}

extension EventStore {
  /// The maximum number of attempts while others write to the journal.
  private static var attemptsMax: Int { 20 }

  /// Appends what a plan needs, and plans again, until a plan needs nothing.
  ///
  /// If others have written since the plan was made, nothing is appended before the next plan.
  ///
  /// - Parameters:
  ///   - first: The first plan.
  ///   - meaning: The sentence for the error `changedMeanwhile` that states the effect on the data.
  ///   - step: Returns what a plan needs next, or nil if it needs nothing.
  ///   - next: Returns the next plan. The receipt is nil if nothing was appended.
  /// - Returns: The last plan.
  /// - Throws: `changedMeanwhile` if others write all the time; `canceled`; the errors of `next`
  ///   and of an append.
  package func carryOut<Plan>(
    _ first: Plan, meaning: String, _ step: (Plan) -> PlannedAppend?,
    next: (Plan, AppendReceipt?) async throws(EventLogError) -> Plan
  ) async throws(EventLogError) -> Plan {
    var (plan, attempts) = (first, 0)
    while let planned = step(plan) {
      try EventLogError.checkCancellation()
      let written = try await append(
        markedBy: planned.mark ?? .none, evenWithoutEvents: planned.mark != nil
      ) { _, ledger in
        ledger.frontier == planned.frontier ? (events: planned.events, value: true) : nil
      }
      if written == nil {
        attempts += 1
        guard attempts < Self.attemptsMax else {
          throw EventLogError(
            .changedMeanwhile, "\"\(path)\" was changed again and again meanwhile. \(meaning)",
            hint: "Try again later.")
        }
      }
      plan = try await next(plan, written?.receipt)
    }
    return plan
  }
}
