package import EventLog

extension History {
  /// Adds a copy that joins at once under its own device ID, the name and `-aaaaaaaa`.
  ///
  /// - Parameters:
  ///   - user: The user as whom it joins, or nil for the journal's user.
  ///   - source: The source of an import that it joins as, or nil.
  @discardableResult
  package mutating func copy(
    _ name: String, user: String? = nil, source: ImportSource? = nil
  ) -> Copy {
    copies.append(
      CopyState(device: freshDevice(name), user: user ?? self.user, source: source))
    let copy = Copy(number: copies.count - 1)
    join(copy, name)
    return copy
  }

  /// Adds an empty copy that joins under the ID of another one, as if the ID had been copied before
  /// its first event.
  package mutating func copy(joiningAs device: DeviceID) -> Copy {
    copies.append(CopyState(device: device, user: user))
    let copy = Copy(number: copies.count - 1)
    join(copy, "again")
    return copy
  }

  /// Returns the ID under which a copy writes.
  package func device(of copy: Copy) -> DeviceID { copies[copy.number].device }

  /// Returns the user as whom a copy joined.
  package func user(of copy: Copy) -> String { copies[copy.number].user }

  /// Returns the last event that a copy wrote, or that its original wrote before it was cloned.
  package func lastEvent(of copy: Copy) -> FullEventID? {
    copies[copy.number].last.map { entries[$0].fullID }
  }

  /// Returns the index of an event in ``entries``.
  package func index(of event: FullEventID) -> Int? { indexes[event] }

  /// Returns the events of a copy in order of arrival, including those that don't count.
  package func entries(of copy: Copy) -> [Entry] {
    copies[copy.number].order.map { entries[$0] }
  }

  /// Returns the lines of a copy's journal, each with its LF.
  package func lines(of copy: Copy) -> [[UInt8]] { entries(of: copy).map(\.line) }

  package func histories(of copy: Copy) -> ReferenceHistories {
    histories(of: copies[copy.number])
  }

  // MARK: - Changes to copies

  /// Copies a journal with its side folder, undetected: both copies continue under one ID.
  ///
  /// A clone that never writes is a backup: see ``restore(_:from:)``.
  package mutating func clone(_ copy: Copy) -> Copy {
    copies.append(copies[copy.number])
    return Copy(number: copies.count - 1)
  }

  /// Replaces a copy by another one, such as its backup.
  ///
  /// It loses the events that only it had, and continues after those that it has now.
  package mutating func restore(_ copy: Copy, from other: Copy) {
    copies[copy.number] = copies[other.number]
  }

  /// Makes a copy continue with its events under a new device ID, the name and `-aaaaaaaa`.
  ///
  /// - Parameter losesLast: Whether it lost the last event that it wrote, as in a crash.
  package mutating func renew(_ copy: Copy, as name: String, losingLast losesLast: Bool = false) {
    let last = lastEvent(of: copy)
    // A batch that it doesn't complete never counts.
    if let last = copies[copy.number].last, entries[last].event.hasMore {
      copies[copy.number].isPlain = false
    }
    copies[copy.number].device = freshDevice(name)
    copies[copy.number].last = nil
    if losesLast, let last { lose(last, on: copy) }
    join(copy, name)
  }

  /// Removes a line from a copy, like a damaged disk.
  ///
  /// - Precondition: It isn't the last event that the copy wrote. Otherwise, call
  ///   ``renew(_:as:losingLast:)`` first.
  package mutating func lose(_ event: FullEventID, on copy: Copy) {
    guard let index = indexes[event], copies[copy.number].held.contains(index) else { return }
    precondition(copies[copy.number].last != index, "without its last event it takes a new ID")
    copies[copy.number].held.remove(index)
    copies[copy.number].order.removeAll { $0 == index }
    copies[copy.number].isPlain = false
  }

  /// Gives some events to a copy, without any others that they need.
  package mutating func give(_ events: some Sequence<FullEventID>, to copy: Copy) {
    copies[copy.number].isPlain = false
    hold(events.map { indexes[$0]! }.filter { !copies[copy.number].held.contains($0) }, on: copy)
  }

  /// Gives a copy all events that another one sends.
  ///
  /// These are the events that count for the sender, and belong to the receiver's journal.
  package mutating func unite(from sender: Copy, to receiver: Copy) {
    let (one, other) = (copies[sender.number], copies[receiver.number])
    let lacked = one.order.filter { !other.held.contains($0) }
    if one.isPlain, other.isPlain, one.user == other.user { return hold(lacked, on: receiver) }
    let histories = self.histories(of: one)
    let shipped = NumberSet(histories.shown.numbers.map { indexes[histories.ids[$0]]! })
    let taken = lacked.filter(shipped.contains)
    let users = ReferenceUsers((other.order + taken).map { entries[$0].event }, user: other.user)
    let belonging = taken.filter { users.belongs(entries[$0].fullID.device) }
    if belonging.isEmpty { return }
    copies[receiver.number].isPlain = false
    hold(belonging, on: receiver)
  }

  /// Makes a copy adopt another user.
  @discardableResult
  package mutating func adopt(_ user: String, on copy: Copy) -> FullEventID {
    copies[copy.number].isPlain = false
    return write(
      EventDraft(
        type: "user.adopted",
        data: ["from": .string(user), "to": .string(copies[copy.number].user)]), on: copy)
  }

  /// Makes a copy acknowledge a loss: the events from a sequence to the last missing event.
  @discardableResult
  package mutating func acknowledgeLoss(
    from first: Int64, to last: FullEventID, on copy: Copy
  ) -> FullEventID {
    write(
      EventDraft(
        type: "device.lost",
        data: ["first": .number(JSONNumber(first)), "last": .string(last.description)]), on: copy)
  }
}
