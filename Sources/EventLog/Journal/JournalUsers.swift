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
  var adoptions: Set<Adoption> = []
  /// Per device what its first events say: one, or several where copies of it parted before that.
  var joinings: [Int: Set<Joining>] = [:]
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

  /// - Returns: false where that was known.
  mutating func add(_ joining: Joining, of device: Int) -> Bool {
    joinings[device, default: []].insert(joining).inserted
  }

  /// What a device's first event says; of several, the least that belongs.
  func joining(of device: Int) -> Joining? {
    guard let all = joinings[device] else { return nil }
    let own = all.filter { belongs($0.user) }
    return (own.isEmpty ? all : own).min { $0.precedes($1) }
  }

  func hasJoined(_ device: Int, as user: [UInt8]) -> Bool {
    joinings[device]?.contains { $0.user == user } ?? false
  }

  /// Whether a device joined, and as nobody who belongs here.
  func isForeign(_ device: Int) -> Bool {
    joinings[device].map { !$0.contains { belongs($0.user) } } ?? false
  }

  /// Whether its first events name several users.
  private func isForked(_ device: Int) -> Bool {
    Set(joinings[device, default: []].map(\.user)).count > 1
  }

  /// All as whom somebody joined, in the order of their bytes.
  var all: [[UInt8]] {
    Set(joinings.values.joined().map(\.user)).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// As whom a device joined; the least of several.
  func user(of device: Int) -> [UInt8]? {
    joinings[device]?.map(\.user).min { $0.lexicographicallyPrecedes($1) }
  }

  /// The users whose devices belong here too.
  package var adoptedUsers: [String] {
    adopted.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether devices of that user write here.
  func belongs(_ joined: [UInt8]) -> Bool {
    guard let user else { return true }
    return user.utf8.elementsEqual(joined) || adopted.contains(joined)
  }

  /// The users who belong to `user` by what was adopted.
  func closure(of user: String) -> Set<[UInt8]> {
    Set(distances(from: user).keys).subtracting([Array(user.utf8)])
  }

  /// Per user who belongs to `user`, over how many adoptions: 0 for `user`.
  func distances(from user: String) -> [[UInt8]: Int] {
    var distances = [Array(user.utf8): 0]
    var queue = [Array(user.utf8)][...]
    let valid = Dictionary(
      grouping: adoptions.filter { hasJoined($0.device, as: $0.to) }, by: \.to)
    while let next = queue.popFirst() {
      for adoption in valid[next] ?? [] where distances[adoption.from] == nil {
        distances[adoption.from] = distances[next]! + 1
        queue.append(adoption.from)
      }
    }
    return distances
  }

  /// Whose journal it is by all that was read: who was given; else whom the own device joined as;
  /// else the one whom nobody has adopted. Nil where several are left, or none.
  func found(ownUser: String?) -> String? {
    if let given { return given }
    if let ownUser { return ownUser }
    let taken = Set(
      adoptions.filter { hasJoined($0.device, as: $0.to) && $0.from != $0.to }.map(\.from))
    let left = all.filter { !taken.contains($0) }
    return left.count == 1 ? String(decoding: left[0], as: UTF8.self) : nil
  }

  /// 1–128 bytes and no control characters.
  package static func isValid(user: String) -> Bool {
    (1...128).contains(user.utf8.count)
      && user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
