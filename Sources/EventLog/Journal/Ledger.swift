/// What is known of each device while a journal is read: its sequence, its chain, and its clock.
///
/// One clock row per device, updated in place: when an event is handed on, its device's row is the
/// event's clock. What older clocks were is told by ``ClockHistory``.
package struct Ledger: Sendable {
  /// One writer.
  package struct Device: Sendable {
    /// The highest sequence applied.
    package var last: Int64 = 0
    /// The last sequence before the device's first missing, damaged or stranded event.
    package var frontier: Int64 { min(reached, (fork ?? .max) - 1) }
    /// The same without a look at forks: what admission goes by, because forks are told at the end
    /// of a reading, and one in pieces has to come to what reading all at once comes to.
    var reached: Int64 = 0
    /// The first sequence that two events carry.
    var fork: Int64?
    package var checksum = LineChecksum(line: 0, chain: 0)
    /// Set behind a hole: what follows is readable but not shipped and not claimed.
    package var isStopped = false
    package var eventCount = 0
    /// `at` of the last event applied.
    package var lastAt: Int64 = 0
    /// The name it joined with.
    package var name = ""
  }

  package internal(set) var names = ByteInterner()
  package internal(set) var devices: [Device] = []
  /// `rows[d]`: the highest sequence of each other device that d has seen.
  var rows: [ClockRow] = []
  /// What the rows were; empty where the lines are read again.
  package internal(set) var history = ClockHistory()
  /// The events that have a `was`; none where there are no such events. A ledger is handed on with
  /// each event, and has to be small.
  var reissuedEvents: [ReissuedEvents] = []
  /// Whether some event has several names.
  var hasAliases = false
  /// Where in the file each device's events stand.
  package internal(set) var index = LineIndex()
  /// Whether the lines were admitted a moment ago, so that chains need no second look.
  let isTrusting: Bool
  private var previous = -1
  /// The user of the first `device.joined`.
  package internal(set) var user: String?
  /// Users whose devices were taken over by `user.adopted`.
  package internal(set) var adoptedUsers: Set<[UInt8]> = []

  package init(trusting isTrusting: Bool = false) { self.isTrusting = isTrusting }

  // MARK: - Questions

  package func name(_ device: Int) -> String { names.text(device) }

  package func find(_ device: DeviceID) -> Int? { names.find(device.text) }

  /// The highest sequence of `other` that `device` has seen.
  @inline(__always)
  package func seen(_ other: Int, by device: Int) -> Int64 {
    other == device ? devices[device].last : rows[device][other]
  }

  /// Whether somebody has seen later events of the device than there are.
  ///
  /// - Complexity: O(devices).
  func hasSeenBeyond(_ device: Int) -> Bool {
    devices.indices.contains { $0 != device && rows[$0][device] > devices[device].last }
  }

  /// The vector clock of the journal.
  package var frontier: VectorClock {
    VectorClock(
      devices.indices.map { (DeviceID(trusted: names.text($0)), devices[$0].frontier) })
  }

  /// Orders two devices by the bytes of their IDs.
  package func isBefore(_ left: Int, _ right: Int) -> Bool {
    names.bytes(left).lexicographicallyPrecedes(names.bytes(right))
  }

  /// What a new event of `device` states in `seen`: all that the frontier holds and its last event
  /// did not. `device` nil: a writer that has written nothing yet.
  package func unstated(by device: Int?) -> [(device: DeviceID, sequence: Int64)] {
    var entries: [(device: DeviceID, sequence: Int64)] = []
    for other in devices.indices where other != device && devices[other].frontier > 0 {
      if let device, stated(other, by: device) >= devices[other].frontier { continue }
      entries.append((DeviceID(trusted: names.text(other)), devices[other].frontier))
    }
    return entries.sorted { $0.device < $1.device }
  }

  // MARK: - Admission

  /// What becomes of a line.
  package enum Admission {
    /// It is the device's next event; the device's index.
    case applied(Int)
    /// It is the device's next event, and another one that is held counts for it.
    case repeated(Int)
    /// Its ID stands before, or its place has passed.
    case passed(Int)
  }

  /// Takes one event into account and moves its device's clock to it.
  ///
  /// An event that does not follow is still applied, as stranded, unless its sequence has passed.
  /// `problem` is set where this line is the reason.
  @inline(__always)
  package mutating func admit(
    _ layout: LineLayout, canonical: Span<UInt8>, problem: inout JournalProblem.Code?
  ) -> Admission {
    let device = index(of: layout.device, in: canonical)
    let sequence = layout.sequence
    let last = devices[device].last
    if sequence <= last { return .passed(device) }
    if sequence != last &+ 1 {
      problem = .gap
      devices[device].isStopped = true
    } else if !isTrusting, !layout.checksum.continues(devices[device].checksum) {
      problem = .chainMismatch
      devices[device].isStopped = true
    }
    if sequence == 1, !isTrusting { join(device, layout, canonical: canonical, problem: &problem) }
    if sequence == 1 { noteSuperseded(by: device, layout, canonical) }
    if !layout.seen.isEmpty { see(device, layout, canonical: canonical, problem: &problem) }
    let isRepeated = !layout.was.isEmpty && reissue(device, layout, canonical)
    devices[device].last = sequence
    devices[device].checksum = layout.checksum
    devices[device].eventCount &+= 1
    if layout.version == 1 { devices[device].lastAt = layout.atMilliseconds }
    if !devices[device].isStopped { devices[device].reached = sequence }
    return isRepeated ? .repeated(device) : .applied(device)
  }

  /// Puts the frontier of a device before `sequence`: two events carry that ID.
  package mutating func markFork(_ device: Int, at sequence: Int64) {
    devices[device].fork = min(devices[device].fork ?? .max, sequence)
  }

  @inline(__always)
  private mutating func index(of device: ByteRange, in canonical: Span<UInt8>) -> Int {
    if previous >= 0, names.isEntry(previous, canonical, device) { return previous }
    previous = add(names.intern(canonical, device))
    return previous
  }

  private mutating func add(_ device: Int) -> Int {
    while devices.count <= device {
      devices.append(Device())
      rows.append(ClockRow())
      if hasAliases { reissuedEvents[0].statedRows.append(ClockRow()) }
    }
    return device
  }

  /// Moves the row of `device` by the entries of `seen`.
  private mutating func see(
    _ device: Int, _ layout: LineLayout, canonical: Span<UInt8>,
    problem: inout JournalProblem.Code?
  ) {
    for entry in layout.seen {
      let other = add(names.intern(canonical, entry.device))
      let before =
        hasAliases ? reissuedEvents[0].statedRows[device][other] : rows[device][other]
      if entry.sequence <= before {
        if problem == nil { problem = .staleSeen }
        devices[device].isStopped = true
      }
      if entry.sequence > devices[other].reached {
        if problem == nil, !devices[device].isStopped { problem = .unseenEvent }
        devices[device].isStopped = true
      }
      guard entry.sequence > before else { continue }
      rows[device][other] = max(rows[device][other], entry.sequence)
      if !isTrusting {
        history.add(device, layout.sequence, sees: other, upTo: entry.sequence)
      }
      guard hasAliases else { continue }
      reissuedEvents[0].statedRows[device][other] = entry.sequence
      seeAliases(of: other, behind: before, upTo: entry.sequence, device, at: layout.sequence)
    }
  }

  // MARK: - Users

  private mutating func join(
    _ device: Int, _ layout: LineLayout, canonical: Span<UInt8>,
    problem: inout JournalProblem.Code?
  ) {
    guard let joined = Joining(layout, canonical) else {
      if problem == nil { problem = .notJoined }
      devices[device].isStopped = true
      return
    }
    devices[device].name = joined.name
    if user == nil { user = joined.user }
    if !belongs(joined.user) {
      if problem == nil { problem = .otherUser }
      devices[device].isStopped = true
    }
  }

  /// What a device's first event says.
  struct Joining {
    let user: String
    let name: String

    /// Nil where it is no joining.
    init?(_ layout: LineLayout, _ canonical: Span<UInt8>) {
      guard layout.version == 1, canonical.matches(layout.type, "device.joined"),
        let user = Ledger.text("user", of: layout, in: canonical), Ledger.isValid(user: user),
        let name = Ledger.text("name", of: layout, in: canonical)
      else { return nil }
      self.user = user
      self.name = name
    }
  }

  /// Whether devices of that user write here.
  func belongs(_ joined: String) -> Bool {
    guard let user else { return true }
    return joined.utf8.elementsEqual(user.utf8) || adoptedUsers.contains(Array(joined.utf8))
  }

  /// Takes `user.adopted` into account.
  package mutating func adopt(_ layout: LineLayout, canonical: Span<UInt8>) {
    guard let from = Self.text("from", of: layout, in: canonical),
      let to = Self.text("to", of: layout, in: canonical), let user,
      to.utf8.elementsEqual(user.utf8)
    else { return }
    adoptedUsers.insert(Array(from.utf8))
  }

  /// 1–128 bytes and no control characters.
  package static func isValid(user: String) -> Bool {
    (1...128).contains(user.utf8.count)
      && user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// The text member `name` of `data`, or nil.
  package static func text(
    _ name: StaticString, of layout: LineLayout, in canonical: Span<UInt8>
  ) -> String? {
    for member in layout.members where canonical.matches(member.name, name) {
      guard member.kind == .string,
        case .string(let text) = JSONValue(canonical: canonical.copy(member.value)[...])
      else { return nil }
      return text
    }
    return nil
  }
}
