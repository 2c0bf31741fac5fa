extension Ledger {
  /// Whose journal it is; nil where nobody has said.
  package var user: String? { users.user }

  /// What the device called itself when it joined; empty where no joining is held.
  package func name(of device: Int) -> String {
    String(decoding: users.joining(of: device)?.name ?? [], as: UTF8.self)
  }

  /// Takes note of whom a device joined as: of any sound line, whether it is admitted or not.
  mutating func note(_ joining: Joining, of device: Int) {
    let isFirst = users.joinings[device] == nil
    guard let adoptions = users.add(joining, of: device) else { return }
    let isFirstUser = users.user == nil
    if isFirstUser { users.user = users.given ?? String(decoding: joining.user, as: UTF8.self) }
    let wasForeign = devices[device].isForeign
    // One first event that belongs is enough, whatever the others say.
    if users.belongs(joining.user) {
      devices[device].isForeign = false
    } else if isFirst {
      devices[device].isForeign =
        !users.presumedOwn.contains(DeviceID(trusted: names.text(device)))
    }
    // Its lines were refused before; or taken before anybody knew whose they are.
    if wasForeign != devices[device].isForeign, wasForeign || !devices[device].branches.isEmpty {
      mustReread = true
    }
    takeIn(users.adopt(by: adoptions, of: isFirstUser ? users.user.map { Array($0.utf8) } : nil))
  }

  /// Takes note of whom a device joined as, by its first event; false where that is no joining.
  mutating func noteJoining(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard let joining = Joining(layout, canonical) else { return false }
    note(joining, of: device(of: layout, canonical))
    return true
  }

  /// Takes note of `user.adopted`, of any sound line.
  mutating func noteAdoption(_ layout: LineLayout, _ canonical: Span<UInt8>, of device: Int) {
    guard let from = Self.text("from", of: layout, in: canonical),
      let to = Self.text("to", of: layout, in: canonical)
    else { return }
    let adoption = JournalUsers.Adoption(device: device, from: from, to: to)
    if users.add(adoption), users.user != nil { takeIn(users.adopt(by: [adoption])) }
  }

  /// Takes note of users who belong now and did not before.
  private mutating func takeIn(_ adopted: [[UInt8]]) {
    for user in adopted {
      // What was refused before is to be taken.
      if users.devices(of: user).contains(where: { devices[$0].isForeign }) { mustReread = true }
    }
  }

  /// Looks, behind the last line, whether the reading was one of the right user.
  mutating func settleUsers() {
    let ownUser = users.ownDevice.flatMap(find).flatMap(users.user(of:))
      .map { String(decoding: $0, as: UTF8.self) }
    let found = users.found(ownUser: ownUser)
    users.isAmbiguous = found == nil && !users.joinings.isEmpty
    guard let found else { return }
    (users.user, users.adopted) = (found, users.closure(of: found))
    // Where everybody belongs either way, nothing was read otherwise.
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

  /// Takes note of `device.lost`.
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
  /// - Throws: `otherUser` where somebody was given as whom no device has joined.
  func checkGivenUser(of path: String) throws(EventLogError) {
    guard let given = users.given, !users.joinings.isEmpty,
      !users.all.contains(Array(given.utf8))
    else { return }
    throw .otherUser(given, path, of: users.all.map { String(decoding: $0, as: UTF8.self) })
  }

  /// - Throws: `userNeeded` where several users have joined, and nothing tells whose journal it is.
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
