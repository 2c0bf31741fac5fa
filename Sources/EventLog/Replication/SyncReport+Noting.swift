extension SyncReport {
  /// Takes note of what is not going to cross, by a plan.
  ///
  /// - Parameters:
  ///   - announced: what the other side says of events that are not there, without those for which
  ///     there is nothing to wait.
  ///   - directions: which ways the person has let events go.
  mutating func notePlan(
    _ plan: ReplicationPlan, announced: [EventRange], _ directions: ReplicationPlan.Directions
  ) {
    notPulled = directions.contains(.pull) ? [] : plan.notPulled
    notPushed = directions.contains(.push) ? [] : plan.notPushed
    pending = announced
  }

  /// Takes note of what was planned to come and neither came nor was refused: it was not there
  /// after all, or waits for something that is not.
  mutating func noteWhatDidNotCome(of plan: ReplicationPlan) {
    let refusing = refused.filter { $0.by == .ours }.map(\.device)
    // A line that is no event may have been any of them.
    if refusing.contains(nil) { return }
    var missing = EventRanges()
    for range in plan.pulls where !refusing.contains(range.device) { missing.insert(range) }
    for range in pulled { missing.subtract(range) }
    for range in pending { missing.insert(range) }
    pending = missing.ranges
  }
}
