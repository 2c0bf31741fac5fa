extension Ledger {
  /// Whose journal it is; nil where nobody has said.
  package var user: String? { users.user }

  /// What a device's first event says.
  struct Joining {
    let user: String
    let name: String

    /// Nil where it is no joining.
    init?(_ layout: LineLayout, _ canonical: Span<UInt8>) {
      guard layout.version == 1, canonical.matches(layout.type, "device.joined"),
        let user = Ledger.text("user", of: layout, in: canonical),
        JournalUsers.isValid(user: user),
        let name = Ledger.text("name", of: layout, in: canonical)
      else { return nil }
      self.user = user
      self.name = name
    }
  }

  /// Takes note of whom a device joined as: of any sound line, whether it is admitted or not.
  mutating func note(_ joining: Joining, of device: Int) {
    if let known = devices[device].user {
      // Of two that say different things, the one that belongs counts.
      if !devices[device].isForeign || known.utf8.elementsEqual(joining.user.utf8) { return }
    }
    devices[device].user = joining.user
    devices[device].name = joining.name
    users.joined[device] = joining.user
    if users.user == nil { users.user = users.given ?? joining.user }
    devices[device].isForeign = !users.belongs(joining.user)
    // What its lines name was there before anybody knew whose they are.
    if !devices[device].branches.isEmpty { mustReread = true }
    takeAdoptions()
  }

  /// Takes note of whom a device joined as, by its first event; false where that is no joining.
  mutating func noteJoining(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard let joining = Joining(layout, canonical) else { return false }
    note(joining, of: index(of: layout.device, in: canonical))
    return true
  }

  /// Takes note of `user.adopted`, of any sound line.
  mutating func noteAdoption(_ layout: LineLayout, _ canonical: Span<UInt8>, of device: Int) {
    guard let from = Self.text("from", of: layout, in: canonical),
      let to = Self.text("to", of: layout, in: canonical)
    else { return }
    users.adoptions.insert(.init(device: device, from: from, to: to))
    takeAdoptions()
  }

  private mutating func takeAdoptions() {
    guard !users.adoptions.isEmpty, let user = users.user else { return }
    users.adopted.formUnion(users.closure(of: user))
    if devices.contains(where: { $0.isForeign && users.belongs($0.user ?? "") }) {
      mustReread = true
    }
  }

  /// Looks, behind the last line, whether the reading was one of the right user.
  mutating func settleUsers() {
    let ownUser = users.ownDevice.flatMap(find).flatMap { devices[$0].user }
    let found = users.found(ownUser: ownUser)
    users.isAmbiguous = found == nil && !users.joined.isEmpty
    guard let found else { return }
    let adopted = users.closure(of: found)
    let isSame = users.user.map { $0.utf8.elementsEqual(found.utf8) } ?? false
    if isSame, adopted == users.adopted { return }
    // Where everybody belongs either way, nothing was read otherwise.
    let before = users
    (users.user, users.adopted) = (found, adopted)
    for device in devices where device.user != nil {
      let user = device.user ?? ""
      if before.belongs(user) != users.belongs(user) { mustReread = true }
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
  func checkGivenUser() throws(EventLogError) {
    guard let given = users.given, !users.joined.isEmpty,
      !users.joined.values.contains(where: { $0.utf8.elementsEqual(given.utf8) })
    else { return }
    throw .otherUser
  }

  /// - Throws: `userNeeded` where several users have joined, and nothing tells whose journal it is.
  package func checkUser() throws(EventLogError) {
    guard users.isAmbiguous else { return }
    let names = Set(users.joined.values.map { Array($0.utf8) })
      .sorted { $0.lexicographicallyPrecedes($1) }
      .map { "\"\(String(decoding: $0, as: UTF8.self))\"" }
    throw EventLogError(
      .userNeeded,
      "The journal holds the events of several users (\(names.joined(separator: ", "))), and"
        + " nothing"
        + " in it tells whose it is. Nothing was changed.")
  }
}
