/// The events that both sides of a sync had before it, and those of this side after it.
struct SyncClocks: Sendable {
  var before = Ledger()
  var after = Ledger()
  var theirs: [FullEventID] = []

  func wasThere(_ event: FullEventID) -> Bool {
    guard let point = after.locate(event) else { return false }
    return theirs.contains { tip in
      after.locate(tip).map { after.isInHistory(point, of: $0) } ?? false
    }
  }
}
