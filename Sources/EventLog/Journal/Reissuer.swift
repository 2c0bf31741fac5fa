/// Writes events again under fresh device IDs, because theirs cannot be kept: those of a branch
/// that was given up, those behind a hole that nobody can refill, and those that have seen one of
/// them.
///
/// Each device that they came from gets one fresh ID, made from the first of its events that are
/// written again; each event keeps what it says and, in the new IDs, what it had seen, and names in
/// `was` the event that it first was. So whoever writes the same branch again, knowing the same,
/// writes the same bytes.
package struct Reissuer {
  /// A line written again.
  package struct Line {
    package let id: EventID
    package let checksum: LineChecksum
    /// Ended by LF.
    package let bytes: [UInt8]
  }

  /// What of one device is written again.
  private struct Branch {
    /// The first sequence that the device does not keep.
    let first: Int64
    /// What the device calls itself.
    let name: String
    /// What its last event so far had seen of others, in the old IDs.
    var clock: [DeviceID: Int64]
    /// Where its events are now, in the order of their old sequences.
    var places: [(old: Int64, new: EventID)] = []
    /// Where in `places` another fresh device begins.
    var turns: [Int] = []
    /// Under which ID it goes on.
    var writer: Writer?

    /// Takes down where an event is now.
    mutating func place(_ old: Int64, at new: EventID) {
      if places.last?.new.device != new.device { turns.append(places.count) }
      places.append((old, new))
    }
  }

  /// Events that somebody has written again already, by what they were at first.
  package struct Carried {
    package var event: EventID
    /// Tells whether it says the same.
    package var content: UInt32
  }

  /// A fresh device.
  private struct Writer {
    var last: EventID
    var chain: UInt32
    /// What it has stated in `seen`.
    var stated: [DeviceID: Int64] = [:]
  }

  private let user: String
  /// Per device up to where its events are kept.
  private let kept: [DeviceID: Int64]
  /// Devices of which nobody can say which events under one ID were seen.
  private let doubtful: Set<DeviceID>
  private var branches: [DeviceID: Branch] = [:]

  /// - Parameters:
  ///   - first: per device its first event that is not kept.
  ///   - ledger: has read those events, and all that they have seen.
  ///   - kept: what stays, and is not written again: nothing can be said to have seen more.
  ///   - user: whose events they are.
  ///   - doubtful: of them, those whose IDs stand for two events each: then the events of others
  ///     are taken to have seen neither, which may show conflicts that were none, and hides none.
  package init(
    from first: [DeviceID: Int64], _ ledger: Ledger, keeping kept: Ledger, of user: String,
    doubtful: Set<DeviceID> = []
  ) {
    self.doubtful = doubtful
    self.user = user
    self.kept = kept.devices.indices.reduce(into: [:]) { ends, device in
      ends[DeviceID(trusted: kept.name(device))] = kept.devices[device].frontier
    }
    for (device, sequence) in first {
      var branch = Branch(first: sequence, name: Self.name(of: device, ledger), clock: [:])
      if let index = ledger.find(device) {
        for (other, seen) in ledger.history.clock(of: index, at: sequence - 1).enumerated()
        where other != index && seen > 0 {
          branch.clock[DeviceID(trusted: ledger.name(other))] = seen
        }
      }
      branches[device] = branch
    }
  }

  /// Where the events are now that were written again: ranges of old IDs and of new ones.
  package var moves: [(from: EventRange, to: EventRange)] {
    var moves: [(from: EventRange, to: EventRange)] = []
    for (device, branch) in branches.sorted(by: { $0.key < $1.key }) {
      for (old, new) in branch.places {
        if let last = moves.last, last.from.device == device, last.from.last + 1 == old,
          last.to.device == new.device, last.to.last + 1 == new.sequence
        {
          moves[moves.count - 1] = (
            EventRange(device: device, first: last.from.first, last: old),
            EventRange(device: new.device, first: last.to.first, last: new.sequence)
          )
        } else {
          moves.append(
            (
              EventRange(device: device, first: old, last: old),
              EventRange(device: new.device, first: new.sequence, last: new.sequence)
            ))
        }
      }
    }
    return moves
  }

  /// Whether all that an event has seen, of what is written again, was written.
  ///
  /// - Parameter held: per device the events that are to be written again, in order.
  package func isReady(
    _ device: DeviceID, _ sequence: Int64, seeing seen: [(device: DeviceID, sequence: Int64)],
    among held: [DeviceID: [Int64]]
  ) -> Bool {
    func isWritten(_ device: DeviceID, upTo sequence: Int64) -> Bool {
      guard let branch = branches[device], let held = held[device] else { return true }
      let next = branch.places.count
      return next >= held.count || held[next] > sequence
    }
    return isWritten(device, upTo: sequence - 1)
      && seen.allSatisfy { isWritten($0.device, upTo: $0.sequence) }
  }

  /// Writes one event again, or finds it written: under the ID that is made for it, or by somebody
  /// who may have known less of its past.
  ///
  /// - Parameters:
  ///   - line: the event's line, without its LF.
  ///   - content: tells what it says from what others say.
  ///   - carried: what the journal holds that was written again, by its `was`.
  ///   - known: the checksum of an event that the journal holds already.
  /// - Returns: the lines to be added: none where they are held, two where a device begins.
  /// - Throws: `eventTooLarge` where the line would be longer than the format allows.
  package mutating func reissue(
    _ line: [UInt8], saying content: UInt32, carried: [String: Carried],
    known: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> [Line] {
    guard case .object(let event)? = try? JSONValue(parsing: line),
      case .string(let idText)? = event["id"], let id = EventID(idText),
      case .string(let digits)? = event["crc"], let checksum = LineChecksum(digits),
      id.sequence >= branches[id.device]?.first ?? .max,
      // Taken out, so that it is not copied with each event.
      var branch = branches.removeValue(forKey: id.device)
    else { return [] }
    defer { branches[id.device] = branch }
    if case .object(let seen)? = event["seen"] {
      for member in seen.members {
        guard let device = DeviceID(member.name), case .number(let number) = member.value,
          let sequence = number.integer
        else { continue }
        branch.clock[device] = max(sequence, branch.clock[device] ?? 0)
      }
    }
    let name = "\(id)/\(checksum)"
    var was = name
    if case .string(let original)? = event["was"] { was = original }
    if let held = carried[was], held.content == content, held.event != id {
      branch.place(id.sequence, at: held.event)
      return []
    }
    var lines: [Line] = []
    let seen = newClock(of: branch, id.device)
    if branch.writer == nil {
      // What it says and has seen, and what it was: who knows more writes another one.
      let nobody = Writer(last: EventID(device: DeviceID(trusted: ""), sequence: 0), chain: 0)
      let draft = try write(event, was, seeing: seen, under: nobody).line
      var mixed = LineChecksum(line: draft.checksum.line, chain: checksum.chain)
      // Who writes it again from another branch says so, and so joins as another one.
      if !was.utf8.elementsEqual(name.utf8) { mixed.line ^= CRC32C.checksum(Array(name.utf8)) }
      branch.writer = try begin(branch, mixed, event, was, name, &lines, known)
    }
    if id.sequence == 1, event["type"] == "device.joined" {
      // The fresh device's own joining stands for it.
      branch.place(1, at: branch.writer!.last)
      return lines
    }
    while true {
      let next = try write(event, was, seeing: seen, under: branch.writer!)
      let held = try known(next.line.id)
      if held == nil { lines.append(next.line) }
      if held == nil || held == next.line.checksum {
        branch.writer = next.writer
        branch.place(id.sequence, at: next.line.id)
        return lines
      }
      // The device has gone on in another way, written again by somebody who knew of other forks.
      branch.writer = try begin(branch, next.line.checksum, event, was, name, &lines, known)
    }
  }

  // MARK: - Clocks

  /// What the branch's event has seen, in the new IDs.
  private func newClock(of branch: Branch, _ id: DeviceID) -> [DeviceID: Int64] {
    var clock: [DeviceID: Int64] = [:]
    func see(_ device: DeviceID, _ sequence: Int64) {
      if sequence > 0 { clock[device] = max(sequence, clock[device] ?? 0) }
    }
    func seeKept(_ device: DeviceID, _ sequence: Int64) {
      see(device, min(sequence, kept[device] ?? 0))
    }
    seeKept(id, branch.first - 1)
    for (device, sequence) in branch.clock {
      guard let other = branches[device], sequence >= other.first else {
        seeKept(device, sequence)
        continue
      }
      seeKept(device, other.first - 1)
      if doubtful.contains(device) { continue }
      for new in Self.ends(of: other, upTo: sequence) { see(new.device, new.sequence) }
    }
    // After a turn, the events before it are another device's.
    for new in Self.ends(of: branch, upTo: .max) { see(new.device, new.sequence) }
    return clock
  }

  /// Of each fresh device of a branch the last event that stands for one up to `sequence`.
  private static func ends(of branch: Branch, upTo sequence: Int64) -> [EventID] {
    var low = 0
    var high = branch.places.count
    while low < high {
      let middle = (low + high) / 2
      if branch.places[middle].old <= sequence { low = middle + 1 } else { high = middle }
    }
    return branch.turns.indices.compactMap { turn in
      let start = branch.turns[turn]
      let end = turn + 1 < branch.turns.count ? branch.turns[turn + 1] : branch.places.count
      return start < low ? branch.places[min(low, end) - 1].new : nil
    }
  }

  // MARK: - Lines

  private static func name(of device: DeviceID, _ ledger: Ledger) -> String {
    let joined = ledger.find(device).map { ledger.devices[$0].name } ?? ""
    return joined.isEmpty ? stem(of: device) : joined
  }

  /// The ID without the eight characters that make it unique.
  private static func stem(of device: DeviceID) -> String {
    let text = device.text.utf8
    guard text.count > 9, text.dropLast(8).last == UInt8(ascii: "-") else { return device.text }
    return String(decoding: text.dropLast(9), as: UTF8.self)
  }

  /// A fresh device's ID: the first 40 bits of a checksum, five in each character.
  static func freshDevice(for device: DeviceID, _ checksum: LineChecksum) -> DeviceID {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    let bits = UInt64(checksum.line) << 8 | UInt64(checksum.chain >> 24)
    let suffix = (0..<8).map { alphabet[Int(bits >> (35 - 5 * UInt64($0)) & 31)] }
    return .fresh(name: stem(of: device), suffix: String(suffix))
  }

  /// Lets a fresh device join.
  ///
  /// - Parameters:
  ///   - was: what the first event that it carries was at first.
  ///   - name: what that was until now: who holds that very event holds a history that is given up.
  private func begin(
    _ branch: Branch, _ checksum: LineChecksum, _ event: JSONObject, _ was: String,
    _ name: String, _ lines: inout [Line], _ known: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> Writer {
    guard case .string(let idText)? = event["id"], let id = EventID(idText) else {
      preconditionFailure("The event was read before.")
    }
    var at: JSONValue = .string(Timestamp(trusted: 0).description)
    if case .string(let text)? = event["at"], Timestamp(text) != nil { at = .string(text) }
    var checksum = checksum
    while true {
      let device = Self.freshDevice(for: id.device, checksum)
      let first = EventID(device: device, sequence: 1)
      var joining = JSONObject([
        .init(name: "id", value: .string(first.description)), .init(name: "at", value: at),
        .init(name: "type", value: "device.joined"),
      ])
      if id.sequence == 1 { joining["was"] = .string(was) }
      var data: JSONObject = ["user": .string(user), "name": .string(branch.name)]
      if !was.utf8.elementsEqual(name.utf8) { data["supersedes"] = .string(name) }
      joining["data"] = .object(data)
      let line = try Self.seal(joining, first, after: 0)
      let held = try known(first)
      if held == nil { lines.append(line) }
      if held == nil || held == line.checksum {
        return Writer(last: first, chain: line.checksum.chain)
      }
      checksum = line.checksum
    }
  }

  private func write(
    _ event: JSONObject, _ was: String, seeing seen: [DeviceID: Int64], under writer: Writer
  ) throws(EventLogError) -> (line: Line, writer: Writer) {
    let id = EventID(device: writer.last.device, sequence: writer.last.sequence + 1)
    var writer = writer
    var news: [JSONObject.Member] = []
    for (device, sequence) in seen.sorted(by: { $0.key < $1.key })
    where device != id.device && sequence > writer.stated[device] ?? 0 {
      news.append(.init(name: device.text, value: .number(JSONNumber(sequence))))
      writer.stated[device] = sequence
    }
    var members: [JSONObject.Member] = [.init(name: "id", value: .string(id.description))]
    func take(_ name: String) {
      if let value = event[name] { members.append(.init(name: name, value: value)) }
    }
    for name in ["at", "type", "entity"] { take(name) }
    if !news.isEmpty { members.append(.init(name: "seen", value: .object(JSONObject(news)))) }
    take("ref")
    members.append(.init(name: "was", value: .string(was)))
    for name in ["v", "data"] { take(name) }
    let written: Set = ["id", "at", "type", "entity", "seen", "ref", "was", "v", "data", "crc"]
    // What a later version of the format has added stays too.
    members += event.members.filter { !written.contains($0.name) }
    let line = try Self.seal(JSONObject(distinct: members), id, after: writer.chain)
    writer.last = id
    writer.chain = line.checksum.chain
    return (line, writer)
  }

  private static func seal(
    _ event: JSONObject, _ id: EventID, after chain: UInt32
  ) throws(EventLogError) -> Line {
    var bytes: [UInt8] = []
    event.write(to: &bytes)
    bytes.removeLast()
    let checksum = LineChecksum.of(covered: bytes, after: chain)
    bytes += ",\"crc\":\"\(checksum)\"}".utf8
    guard bytes.count <= LineLimits.lineBytesMax else {
      throw EventLogError(
        .eventTooLarge,
        "The event that \(id) would carry again is so long that its line, with what it was, would"
          + " have \(bytes.count) bytes; the format allows \(LineLimits.lineBytesMax). Nothing was"
          + " changed.",
        hint: "Until then the journal works as it is; only this fork or hole stays.")
    }
    return Line(id: id, checksum: checksum, bytes: bytes + [0x0A])
  }
}
