/// The user of a journal, and the users that were adopted into it.
///
/// Both follow from the set of lines, whatever their order. So a reading starts with a guess, and
/// is repeated with the result if the guess was wrong.
package struct JournalUsers: Sendable, Hashable {
  /// The content of a `user.adopted` event: devices that joined as `from` belong to `to`.
  struct Adoption: Sendable, Hashable {
    /// The device that wrote the event. It counts if the device joined as `to`.
    var device: Int
    /// The bytes of the users' names.
    var from: [UInt8]
    var to: [UInt8]

    init(device: Int, from: String, to: String) {
      self.device = device
      (self.from, self.to) = (Array(from.utf8), Array(to.utf8))
    }
  }

  /// The user that the caller passed explicitly, which takes precedence.
  var explicitUser: String?
  /// The device ID under which this copy of the journal writes.
  var ownDevice: DeviceID?
  /// The journal's user, or nil if it is unknown.
  package internal(set) var user: String?
  /// Whether several users have joined, and the journal's user can't be determined.
  package internal(set) var isAmbiguous = false
  /// The other users whose devices belong here, by the bytes of their names.
  package internal(set) var adopted: Set<[UInt8]> = []
  private(set) var adoptions: Set<Adoption> = []
  /// The joinings of each device.
  ///
  /// There are several if copies of a journal joined under one device ID.
  private(set) var joinings: [Int: Set<Joining>] = [:]
  /// The users that each device joined as.
  private var usersOfDevices: [Int: Set<[UInt8]>] = [:]
  /// The devices that joined as each user.
  private var devicesOfUsers: [[UInt8]: [Int]] = [:]
  /// The users that each user adopted, according to devices that joined as that user.
  private var adopters: [[UInt8]: [[UInt8]]] = [:]
  /// The adoptions that each device wrote, whether or not they count.
  private var adoptionsOfDevices: [Int: [Adoption]] = [:]
  /// The devices that belong here according to an earlier reading, although one of their joinings
  /// names another user.
  var presumedOwn: Set<DeviceID> = []

  package init() {}

  /// The initial value for a repeated reading.
  func begun(_ names: ByteInterner) -> JournalUsers {
    var users = JournalUsers()
    (users.explicitUser, users.ownDevice) = (explicitUser, ownDevice)
    (users.user, users.adopted) = (user, adopted)
    users.presumedOwn = Set(
      joinings.keys.filter { isForked($0) && !isForeign($0) }
        .map { DeviceID(trusted: names.text($0)) })
    return users
  }

  // MARK: - Devices

  /// Adds a joining of a device.
  ///
  /// - Returns: The device's adoptions that count from now on, or nil if the joining was known.
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

  /// Adds an adoption.
  ///
  /// - Returns: Whether it is new and counts.
  mutating func add(_ adoption: Adoption) -> Bool {
    guard adoptions.insert(adoption).inserted else { return false }
    adoptionsOfDevices[adoption.device, default: []].append(adoption)
    guard hasJoined(adoption.device, as: adoption.to) else { return false }
    adopters[adoption.to, default: []].append(adoption.from)
    return true
  }

  /// Adds the users that were adopted by users who belong here.
  ///
  /// - Parameters:
  ///   - adoptions: The new adoptions.
  ///   - user: A user of whom all adoptions are followed, or nil.
  /// - Returns: The users that were added.
  /// - Complexity: O(these adoptions, and those by `user` and by the users returned).
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

  /// The joining of a device.
  ///
  /// If there are several, this is the first by `precedes`, preferring users who belong here.
  func joining(of device: Int) -> Joining? {
    guard let all = joinings[device] else { return nil }
    let own = all.filter { belongs($0.user) }
    return (own.isEmpty ? all : own).min { $0.precedes($1) }
  }

  private func hasJoined(_ device: Int, as user: [UInt8]) -> Bool {
    usersOfDevices[device]?.contains(user) ?? false
  }

  /// Whether a device joined only as users who don't belong here.
  func isForeign(_ device: Int) -> Bool {
    usersOfDevices[device].map { !$0.contains(where: belongs) } ?? false
  }

  /// Whether the joinings of a device name several users.
  private func isForked(_ device: Int) -> Bool { usersOfDevices[device, default: []].count > 1 }

  /// The devices that joined as a user.
  func devices(of user: [UInt8]) -> [Int] { devicesOfUsers[user] ?? [] }

  /// All users that devices joined as, in byte order.
  var all: [[UInt8]] { devicesOfUsers.keys.sorted { $0.precedes($1) } }

  /// The user that a device joined as, or the least of several.
  package func user(of device: Int) -> [UInt8]? {
    usersOfDevices[device]?.min { $0.precedes($1) }
  }

  /// The other users whose devices belong here, in byte order.
  package var adoptedUsers: [String] {
    adopted.sorted { $0.precedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether devices that joined as this user belong here.
  package func belongs(_ joined: [UInt8]) -> Bool {
    guard let user else { return true }
    return user.utf8.elementsEqual(joined) || adopted.contains(joined)
  }

  /// The users that a device joined as.
  package func users(of device: Int) -> Set<[UInt8]> { usersOfDevices[device] ?? [] }

  /// A user and all users adopted by it, directly or through others, except the journal's user.
  package func family(of user: String) -> Set<[UInt8]> {
    closure(of: user).union([Array(user.utf8)])
      .subtracting(self.user.map { [Array($0.utf8)] } ?? [])
  }

  /// The users that `user` has adopted, directly or through others.
  func closure(of user: String) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = [Array(user.utf8)]
    var open = Array(found)
    while let next = open.popLast() {
      for adopted in adopters[next] ?? [] where found.insert(adopted).inserted {
        open.append(adopted)
      }
    }
    return found.subtracting([Array(user.utf8)])
  }

  /// The journal's user according to all lines: the explicit one, otherwise that of the own device,
  /// otherwise the only user that no other user has adopted. Nil if there isn't exactly one.
  func found(ownUser: String?) -> String? {
    if let explicitUser { return explicitUser }
    if let ownUser { return ownUser }
    var taken: Set<[UInt8]> = []
    for (to, adopted) in adopters { taken.formUnion(adopted.filter { $0 != to }) }
    let left = all.filter { !taken.contains($0) }
    return left.count == 1 ? String(decoding: left[0], as: UTF8.self) : nil
  }

  /// The prefix of the names of guests, which are users of one device without an account.
  package static let guestPrefix = "guest-"

  /// Whether the user is a guest.
  package static func isGuest(_ user: String) -> Bool { user.hasPrefix(guestPrefix) }

  /// Whether a name has 1 to 128 bytes and no control characters.
  package static func isValid(user: String) -> Bool {
    (1...128).contains(user.utf8.count)
      && (user.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        || user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }
}
