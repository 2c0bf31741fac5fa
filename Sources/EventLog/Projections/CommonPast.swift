/// What all of several events had seen, each without itself, asked for event by event.
///
/// The same events as a ``PastCut`` of them, which lists them: with hundreds of devices, asking for
/// the few that matter is much less.
struct CommonPast: EventCut {
  let candidates: [Dot]
  let ledger: Ledger

  /// - Complexity: O(candidates · log of how often the devices synced).
  func limit(of branch: Int32) -> Int64 {
    var limit = Int64.max
    for candidate in candidates { limit = min(limit, ledger.seen(branch, before: candidate.point)) }
    return candidates.isEmpty ? 0 : limit
  }
}
