/// Some of the events of a journal: of each branch those up to a sequence.
protocol EventCut {
  /// The last of a branch's events in it; less than the branch's first where it has none.
  func limit(of branch: Int32) -> Int64
}

extension EventCut {
  func contains(_ point: Ledger.Point) -> Bool { point.sequence <= limit(of: point.branch) }
}
