/// Whose journal it is, and who belongs to it.
///
/// Both follow from the lines that are held, wherever they stand: a reading begins with a guess,
/// and is made again with what it found where the guess was wrong.
package struct JournalUsers: Sendable, Hashable {
  /// What `user.adopted` says: devices that joined as one user are another one's now.
  struct Adoption: Sendable, Hashable {
    /// The device that says so, which has to have joined as `to`.
    var device: Int
    /// Users by the bytes of their names.
    var from: [UInt8]
    var to: [UInt8]

    init(device: Int, from: String, to: String) {
      self.device = device
      (self.from, self.to) = (Array(from.utf8), Array(to.utf8))
    }
  }

  /// The user that somebody gave, who counts before all others.
  var given: String?
  /// The device that this copy of the journal writes under.
  var ownDevice: DeviceID?
  /// The journal's user, as far as it is known.
  package internal(set) var user: String?
  /// Whether several users have joined, and nothing tells which of them is meant.
  package internal(set) var isAmbiguous = false
  /// Users whose devices belong here too, by the bytes of their names.
  package internal(set) var adopted: Set<[UInt8]> = []
  private(set) var adoptions: Set<Adoption> = []
  /// Per device what its first events say: one, or several where copies of it parted before that.
  private(set) var joinings: [Int: Set<Joining>] = [:]
  /// As whom each device joined.
  private var usersOfDevices: [Int: Set<[UInt8]>] = [:]
  /// Who joined as each user.
  private var devicesOfUsers: [[UInt8]: [Int]] = [:]
  /// Per user whom it adopted, by devices that joined as that user.
  private var adopters: [[UInt8]: [[UInt8]]] = [:]
  /// Per device what its adoptions say, whether it joined as that user or not.
  private var adoptionsOfDevices: [Int: [Adoption]] = [:]
  /// The devices that an earlier reading found to belong, though one of their first events names
  /// somebody else.
  var presumedOwn: Set<DeviceID> = []

  package init() {}

  /// The same of a reading that begins anew.
  func begun(_ names: ByteInterner) -> JournalUsers {
    var users = JournalUsers()
    (users.given, users.ownDevice) = (given, ownDevice)
    (users.user, users.adopted) = (user, adopted)
    users.presumedOwn = Set(
      joinings.keys.filter { isForked($0) && !isForeign($0) }
        .map { DeviceID(trusted: names.text($0)) })
    return users
  }

  // MARK: - Devices

  /// - Returns: what its device says of adoptions and counts from now on; nil where it was known.
  mutating func add(_ joining: Joining, of device: Int) -> [Adoption]? {
    let isKnownUser = hasJoined(device, as: joining.user)
    guard joinings[device, default: []].insert(joining).inserted else { return nil }
    if isKnownUser { return [] }
    usersOfDevices[device, default: []].insert(joining.user)
    devicesOfUsers[joining.user, default: []].append(device)
    let counting = (adoptionsOfDevices[device] ?? []).filter { $0.to == joining.user }
    for adoption in counting { adopters[adoption.to, default: []].append(adoption.from) }
    return counting
  }

  /// - Returns: whether it is new, and counts.
  mutating func add(_ adoption: Adoption) -> Bool {
    guard adoptions.insert(adoption).inserted else { return false }
    adoptionsOfDevices[adoption.device, default: []].append(adoption)
    guard hasJoined(adoption.device, as: adoption.to) else { return false }
    adopters[adoption.to, default: []].append(adoption.from)
    return true
  }

  /// Takes in whom those have adopted who belong.
  ///
  /// - Parameters:
  ///   - adoptions: those that are new.
  ///   - user: of whom all adoptions are looked at; nil for none.
  /// - Returns: who belongs now and did not before.
  /// - Complexity: O(these adoptions, and those by `user` and by whoever is returned).
  mutating func adopt(by adoptions: [Adoption], of user: [UInt8]? = nil) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var open = user.map { [$0] } ?? []
    func take(_ adopted: [UInt8], _ users: inout JournalUsers) {
      guard !users.belongs(adopted) else { return }
      users.adopted.insert(adopted)
      found.append(adopted)
      open.append(adopted)
    }
    for adoption in adoptions where belongs(adoption.to) { take(adoption.from, &self) }
    while let next = open.popLast() {
      for adopted in adopters[next] ?? [] { take(adopted, &self) }
    }
    return found
  }

  /// What a device's first event says; of several, the least that belongs.
  func joining(of device: Int) -> Joining? {
    guard let all = joinings[device] else { return nil }
    let own = all.filter { belongs($0.user) }
    return (own.isEmpty ? all : own).min { $0.precedes($1) }
  }

  private func hasJoined(_ device: Int, as user: [UInt8]) -> Bool {
    usersOfDevices[device]?.contains(user) ?? false
  }

  /// Whether a device joined, and as nobody who belongs here.
  func isForeign(_ device: Int) -> Bool {
    usersOfDevices[device].map { !$0.contains(where: belongs) } ?? false
  }

  /// Whether its first events name several users.
  private func isForked(_ device: Int) -> Bool { usersOfDevices[device, default: []].count > 1 }

  /// Who joined as a user.
  func devices(of user: [UInt8]) -> [Int] { devicesOfUsers[user] ?? [] }

  /// All as whom somebody joined, in the order of their bytes.
  var all: [[UInt8]] { devicesOfUsers.keys.sorted { $0.precedes($1) } }

  /// As whom a device joined; the least of several.
  package func user(of device: Int) -> [UInt8]? {
    usersOfDevices[device]?.min { $0.precedes($1) }
  }

  /// The users whose devices belong here too.
  package var adoptedUsers: [String] {
    adopted.sorted { $0.precedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether devices of that user write here.
  package func belongs(_ joined: [UInt8]) -> Bool {
    guard let user else { return true }
    return user.utf8.elementsEqual(joined) || adopted.contains(joined)
  }

  /// As whom a device joined.
  package func users(of device: Int) -> Set<[UInt8]> { usersOfDevices[device] ?? [] }

  /// A user, and all whom that user has adopted, directly or through others; never the journal's
  /// own user.
  package func family(of user: String) -> Set<[UInt8]> {
    Set(distances(from: user).keys).subtracting(self.user.map { [Array($0.utf8)] } ?? [])
  }

  /// The users who belong to `user` by what was adopted.
  func closure(of user: String) -> Set<[UInt8]> {
    Set(distances(from: user).keys).subtracting([Array(user.utf8)])
  }

  /// Per user who belongs to `user`, over how many adoptions: 0 for `user`.
  func distances(from user: String) -> [[UInt8]: Int] {
    var distances = [Array(user.utf8): 0]
    var queue = [Array(user.utf8)]
    var place = 0
    while place < queue.count {
      let next = queue[place]
      place += 1
      for adopted in adopters[next] ?? [] where distances[adopted] == nil {
        distances[adopted] = distances[next]! + 1
        queue.append(adopted)
      }
    }
    return distances
  }

  /// Whose journal it is by all that was read: who was given; else whom the own device joined as;
  /// else the one whom nobody has adopted. Nil where several are left, or none.
  func found(ownUser: String?) -> String? {
    if let given { return given }
    if let ownUser { return ownUser }
    var taken: Set<[UInt8]> = []
    for (to, adopted) in adopters { taken.formUnion(adopted.filter { $0 != to }) }
    let left = all.filter { !taken.contains($0) }
    return left.count == 1 ? String(decoding: left[0], as: UTF8.self) : nil
  }

  /// What the names of guests begin with: users without an account, on one device.
  package static let guestPrefix = "guest-"

  /// Whether the user is a guest.
  package static func isGuest(_ user: String) -> Bool { user.hasPrefix(guestPrefix) }

  /// 1–128 bytes and no control characters.
  package static func isValid(user: String) -> Bool {
    (1...128).contains(user.utf8.count)
      && (user.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        || user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }
}
