extension Ledger {
  /// The user of the journal, or nil if it is unknown.
  package var user: String? { users.user }

  /// The name that the device joined with, or an empty string if its joining isn't held.
  package func name(of device: Int) -> String {
    String(decoding: users.joining(of: device)?.name ?? [], as: UTF8.self)
  }

  /// Records the user of a joining of any valid line, admitted or not.
  mutating func note(_ joining: Joining, of device: Int) {
    let isFirst = users.joinings[device] == nil
    guard let adoptions = users.add(joining, of: device) else { return }
    let isFirstUser = users.user == nil
    if isFirstUser {
      users.user = users.explicitUser ?? String(decoding: joining.user, as: UTF8.self)
    }
    let wasForeign = devices[device].isForeign
    // One joining of a user who belongs is enough, even if the device has others.
    if users.belongs(joining.user) {
      devices[device].isForeign = false
    } else if isFirst {
      devices[device].isForeign =
        !users.presumedOwn.contains(DeviceID(trusted: names.text(device)))
    }
    // Its lines were refused before, or were accepted before their user was known.
    if wasForeign != devices[device].isForeign, wasForeign || !devices[device].branches.isEmpty {
      mustReread = true
    }
    takeIn(users.adopt(by: adoptions, of: isFirstUser ? users.user.map { Array($0.utf8) } : nil))
  }

  /// Records the user of a device's first event.
  ///
  /// Returns false if it isn't a joining.
  mutating func noteJoining(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard let joining = Joining(layout, canonical) else { return false }
    note(joining, of: device(of: layout, canonical))
    return true
  }

  /// Records the `user.adopted` of any valid line.
  mutating func noteAdoption(_ layout: LineLayout, _ canonical: Span<UInt8>, of device: Int) {
    guard let from = Self.text("from", of: layout, in: canonical),
      let to = Self.text("to", of: layout, in: canonical)
    else { return }
    let adoption = JournalUsers.Adoption(device: device, from: from, to: to)
    if users.add(adoption), users.user != nil { takeIn(users.adopt(by: [adoption])) }
  }

  /// Records users who belong from now on.
  private mutating func takeIn(_ adopted: [[UInt8]]) {
    for user in adopted {
      // Lines that were refused before must be admitted.
      if users.devices(of: user).contains(where: { devices[$0].isForeign }) { mustReread = true }
    }
  }

  /// After the last line, checks that the reading was for the right user.
  mutating func settleUsers() {
    let ownUser = users.ownDevice.flatMap(find).flatMap(users.user(of:))
      .map { String(decoding: $0, as: UTF8.self) }
    let found = users.found(ownUser: ownUser)
    users.isAmbiguous = found == nil && !users.joinings.isEmpty
    guard let found else { return }
    (users.user, users.adopted) = (found, users.closure(of: found))
    // If the same devices belong as before, the reading is unchanged.
    if devices.indices.contains(where: { devices[$0].isForeign != users.isForeign($0) }) {
      mustReread = true
    }
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

  /// Records a `device.lost` event.
  mutating func noteLoss(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard let text = Self.text("last", of: layout, in: canonical), let last = FullEventID(text),
      case .object(let data) = JSONValue(canonical: canonical.copy(layout.data)[...]),
      case .number(let number)? = data["first"], let first = number.integer,
      (1...last.sequence).contains(first)
    else { return }
    losses[last] = min(first, losses[last] ?? .max)
  }
}

extension Ledger {
  /// - Throws: `otherUser` if no device has joined as the given user.
  func checkGivenUser(of path: String) throws(EventLogError) {
    guard let explicitUser = users.explicitUser, !users.joinings.isEmpty,
      !users.all.contains(Array(explicitUser.utf8))
    else { return }
    throw .otherUser(explicitUser, path, of: users.all.map { String(decoding: $0, as: UTF8.self) })
  }

  /// - Throws: `userNeeded` if several users have joined and the journal's user is unclear.
  package func checkUser() throws(EventLogError) {
    guard users.isAmbiguous else { return }
    let all = users.all
    var names = all.prefix(10).map { "\"\(String(decoding: $0, as: UTF8.self))\"" }
    if all.count > names.count { names.append("and \(all.count - names.count) more") }
    throw EventLogError(
      .userNeeded,
      "The journal contains events of several users (\(names.joined(separator: ", "))), and it is"
        + " unclear which of them it belongs to. Nothing was changed.",
      hint: EventLogError.AppHint.noUser)
  }
}
