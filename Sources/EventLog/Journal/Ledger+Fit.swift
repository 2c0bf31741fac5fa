extension Ledger {
  /// Whether a line of another journal can be taken as it is.
  package enum Fit: Sendable, Hashable {
    /// It is the device's next event.
    case next
    /// An event with its ID is held.
    case held
    /// It cannot be taken, and why.
    case refused(JournalProblem.Code)
  }

  /// Judges a line before anything of it is applied: what ``admit(_:canonical:problem:)`` would
  /// call a problem is refused here.
  package func fit(_ layout: LineLayout, canonical: Span<UInt8>) -> Fit {
    let index = names.find(canonical, layout.device).flatMap { $0 < devices.count ? $0 : nil }
    let device = index.map { devices[$0] } ?? Device()
    if layout.sequence <= device.last {
      // The last event is known by its checksum; of older ones the chain tells, from the next on.
      return layout.sequence == device.last && layout.checksum != device.checksum
        ? .refused(.fork) : .held
    }
    if layout.sequence != device.last + 1 || device.isStopped || device.fork != nil {
      return .refused(.gap)
    }
    if !layout.checksum.continues(device.checksum) { return .refused(.chainMismatch) }
    if layout.sequence == 1 {
      guard let joined = Joining(layout, canonical) else { return .refused(.notJoined) }
      if !belongs(joined.user) { return .refused(.otherUser) }
    }
    return fit(seenOf: layout, by: index, canonical)
  }

  private func fit(seenOf layout: LineLayout, by device: Int?, _ canonical: Span<UInt8>) -> Fit {
    for entry in layout.seen {
      guard let other = names.find(canonical, entry.device), other < devices.count,
        entry.sequence <= devices[other].frontier
      else { return .refused(.unseenEvent) }
      if let device, entry.sequence <= stated(other, by: device) { return .refused(.staleSeen) }
    }
    return .next
  }
}
