package import EventLog

extension History {
  /// Adds a copy with a device ID of its own, the name and `-aaaaaaaa`, which joins at once.
  ///
  /// - Parameter user: whom it joins as; nil: whose journal this is.
  @discardableResult
  package mutating func copy(_ name: String, user: String? = nil) -> Copy {
    copies.append(CopyState(device: freshDevice(name), user: user ?? self.user))
    let copy = Copy(number: copies.count - 1)
    join(copy, name)
    return copy
  }

  /// Adds a copy that holds nothing, and joins under the ID that another one has: as where an ID
  /// was copied before its first event.
  package mutating func copy(joiningAs device: DeviceID) -> Copy {
    copies.append(CopyState(device: device, user: user))
    let copy = Copy(number: copies.count - 1)
    join(copy, "again")
    return copy
  }

  /// The ID under which a copy writes.
  package func device(of copy: Copy) -> DeviceID { copies[copy.number].device }

  /// Whom a copy joined as.
  package func user(of copy: Copy) -> String { copies[copy.number].user }

  /// The last event that a copy wrote, or that the one had written which it was cloned from.
  package func lastEvent(of copy: Copy) -> FullEventID? {
    copies[copy.number].last.map { entries[$0].fullID }
  }

  /// The place of an event among ``entries``.
  package func place(of event: FullEventID) -> Int? { places[event] }

  /// What a copy holds, in the order in which it came; what does not count is among it.
  package func entries(of copy: Copy) -> [Entry] {
    copies[copy.number].order.map { entries[$0] }
  }

  /// The lines of a copy's journal, each with its LF.
  package func lines(of copy: Copy) -> [[UInt8]] { entries(of: copy).map(\.line) }

  /// What a copy's journal says.
  package func histories(of copy: Copy) -> ReferenceHistories {
    histories(of: copies[copy.number])
  }

  // MARK: - What happens to copies

  /// Copies a journal with its side folder, so that neither notices: both write on under one ID.
  ///
  /// A clone that nobody writes on is a backup: see ``restore(_:from:)``.
  package mutating func clone(_ copy: Copy) -> Copy {
    copies.append(copies[copy.number])
    return Copy(number: copies.count - 1)
  }

  /// Puts another copy in the place of this one, such as a backup of it: what only this one held is
  /// gone from it, and it writes on behind what it has now.
  package mutating func restore(_ copy: Copy, from other: Copy) {
    copies[copy.number] = copies[other.number]
  }

  /// Has a copy go on under a fresh device ID, the name and `-aaaaaaaa`, with what it holds.
  ///
  /// - Parameter losesLast: whether it lost the last event that it wrote, as in a crash.
  package mutating func renew(_ copy: Copy, as name: String, losingLast losesLast: Bool = false) {
    let last = lastEvent(of: copy)
    // A batch that it does not go on with never counts.
    if let last = copies[copy.number].last, entries[last].event.hasMore {
      copies[copy.number].isPlain = false
    }
    copies[copy.number].device = freshDevice(name)
    copies[copy.number].last = nil
    if losesLast, let last { lose(last, on: copy) }
    join(copy, name)
  }

  /// Has a copy lose a line, as a damaged disk would.
  ///
  /// - Precondition: it is not the last that the copy wrote: ``renew(_:as:)`` comes first then.
  package mutating func lose(_ event: FullEventID, on copy: Copy) {
    guard let place = places[event], copies[copy.number].held.contains(place) else { return }
    precondition(copies[copy.number].last != place, "without its last event it takes a new ID")
    copies[copy.number].held.remove(place)
    copies[copy.number].order.removeAll { $0 == place }
    copies[copy.number].isPlain = false
  }

  /// Gives a copy some events, and nothing besides.
  package mutating func give(_ events: some Sequence<FullEventID>, to copy: Copy) {
    copies[copy.number].isPlain = false
    hold(events.map { places[$0]! }.filter { !copies[copy.number].held.contains($0) }, on: copy)
  }

  /// Gives one copy all that another ships: what counts there, and belongs here by all that both
  /// hold.
  package mutating func unite(from sender: Copy, to receiver: Copy) {
    let (one, other) = (copies[sender.number], copies[receiver.number])
    let lacked = one.order.filter { !other.held.contains($0) }
    if one.isPlain, other.isPlain, one.user == other.user { return hold(lacked, on: receiver) }
    let histories = self.histories(of: one)
    let shipped = NumberSet(histories.shown.numbers.map { places[histories.ids[$0]]! })
    let taken = lacked.filter(shipped.contains)
    let users = ReferenceUsers((other.order + taken).map { entries[$0].event }, user: other.user)
    let belonging = taken.filter { users.belongs(entries[$0].fullID.device) }
    if belonging.isEmpty { return }
    copies[receiver.number].isPlain = false
    hold(belonging, on: receiver)
  }

  /// Has a copy take the devices of another user for its own.
  @discardableResult
  package mutating func adopt(_ user: String, on copy: Copy) -> FullEventID {
    copies[copy.number].isPlain = false
    return write(
      EventDraft(
        type: "user.adopted",
        data: ["from": .string(user), "to": .string(copies[copy.number].user)]), on: copy)
  }

  /// Has a copy acknowledge that events are lost: from a sequence to the last missing event.
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
