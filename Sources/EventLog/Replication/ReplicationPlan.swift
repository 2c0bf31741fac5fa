/// What a replication is going to do: a pure value, made from what both sides state.
public struct ReplicationPlan: Sendable, Hashable {
  /// What is to be taken from the other side, by device.
  public internal(set) var pulls: [EventRange] = []
  /// What is to be given to it, by device.
  public internal(set) var pushes: [EventRange] = []
  /// Per device with a fork the first event about which the sides differ. From there on nothing of
  /// it crosses, and nothing that has seen it.
  public internal(set) var forks: [EventID] = []
  /// What stays behind on this side because it has seen a fork, by device.
  public internal(set) var withheld: [EventRange] = []

  /// What would be taken too, if events might come from the other side.
  public internal(set) var notPulled: [EventRange] = []
  /// What would be given too, if events might go to the other side.
  public internal(set) var notPushed: [EventRange] = []

  /// Whether there is nothing to do and nothing wrong.
  public var isEmpty: Bool { pulls.isEmpty && pushes.isEmpty && forks.isEmpty && withheld.isEmpty }

  /// Which ways events may go.
  public struct Directions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Events come from the other side.
    public static let pull = Directions(rawValue: 1)
    /// Events go to the other side.
    public static let push = Directions(rawValue: 2)
    /// Both.
    public static let both: Directions = [.pull, .push]
  }

  init() {}

  /// What is taken of whom, with the checksums by which it was stated to end.
  func asked(of theirs: [DeviceID: HistoryPoint]) -> [DeviceID: ReceivingTerms.Asked] {
    pulls.reduce(into: [:]) { asked, range in
      let point = theirs[range.device].flatMap { $0.sequence == range.last ? $0 : nil }
      asked[range.device] = .init(last: range.last, checksum: point?.checksum)
    }
  }

  /// - Parameters:
  ///   - disputed: per device with a fork the first event about which the sides differ.
  ///   - barred: devices that stay out altogether.
  ///   - firstSeeing: per device of ours its first event that has seen one of those.
  package init(
    ours: [DeviceID: Int64], theirs: [DeviceID: Int64], forks disputed: [DeviceID: Int64] = [:],
    barred: Set<DeviceID> = [], firstSeeing: [DeviceID: Int64] = [:],
    _ directions: Directions = .both
  ) {
    for device in Set(ours.keys).union(theirs.keys).sorted() {
      let (here, there) = (ours[device] ?? 0, theirs[device] ?? 0)
      let fork = disputed[device]
      if let fork { forks.append(EventID(device: device, sequence: fork)) }
      // Up to the fork both hold the same.
      let shared = barred.contains(device) ? 0 : (fork ?? .max) - 1
      let end = min(there, shared)
      if end > here {
        let range = EventRange(device: device, first: here + 1, last: end)
        if directions.contains(.pull) { pulls.append(range) } else { notPulled.append(range) }
      }
      guard here > there else { continue }
      let last = min(here, shared, (firstSeeing[device] ?? .max) - 1)
      if last > there {
        let range = EventRange(device: device, first: there + 1, last: last)
        if directions.contains(.push) { pushes.append(range) } else { notPushed.append(range) }
      }
      guard directions.contains(.push) else { continue }
      if fork == nil, here > max(last, there) {
        withheld.append(EventRange(device: device, first: max(last, there) + 1, last: here))
      }
    }
  }
}

extension ReplicationPlan {
  /// Per device up to where both sides hold the same, once the plan is carried out; nothing of what
  /// has seen a disputed event.
  ///
  /// - Parameters:
  ///   - ours: what is held here, when all that was planned has come; more may have come since.
  ///   - theirs: what the other side held when the plan was made.
  ///   - disputed: per device the first event that does not cross.
  ///   - firstSeeing: per device of ours its first event that has seen one of those.
  func ends(
    ours: [DeviceID: Int64], theirs: [DeviceID: Int64], disputed: [DeviceID: Int64],
    firstSeeing: [DeviceID: Int64]
  ) -> [DeviceID: Int64] {
    var ends: [DeviceID: Int64] = [:]
    for (device, here) in ours {
      let there = pushes.first { $0.device == device }?.last ?? theirs[device] ?? 0
      let before = min(disputed[device] ?? .max, firstSeeing[device] ?? .max) - 1
      let end = min(here, there, before)
      if end > 0 { ends[device] = end }
    }
    return ends
  }
}

extension ReplicationPlan: CustomStringConvertible {
  /// A line for each range, each fork, and what stays behind; `nothing to do` for none of them.
  public var description: String {
    if isEmpty { return "nothing to do" }
    let lines =
      pulls.map { "pull \($0)" } + pushes.map { "push \($0)" } + forks.map { "fork at \($0)" }
      + withheld.map { "withhold \($0)" }
    return lines.joined(separator: "\n")
  }
}
