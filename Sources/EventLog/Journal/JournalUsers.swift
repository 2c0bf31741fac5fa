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
  /// Per device whom it joined as.
  var joined: [Int: String] = [:]

  package init() {}

  /// The same of a reading that begins anew.
  var begun: JournalUsers {
    var users = JournalUsers()
    (users.given, users.ownDevice) = (given, ownDevice)
    (users.user, users.adopted) = (user, adopted)
    return users
  }

  /// The users whose devices belong here too.
  package var adoptedUsers: [String] {
    adopted.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether devices of that user write here.
  package func belongs(_ joined: String) -> Bool {
    guard let user else { return true }
    return joined.utf8.elementsEqual(user.utf8) || adopted.contains(Array(joined.utf8))
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
      grouping: adoptions.filter { adoption in
        joined[adoption.device].map { $0.utf8.elementsEqual(adoption.to) } ?? false
      }, by: \.to)
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
    let all = Set(joined.values.map { Array($0.utf8) })
    let taken = Set(
      adoptions.filter { adoption in
        joined[adoption.device].map { $0.utf8.elementsEqual(adoption.to) } ?? false
          && adoption.from != adoption.to
      }.map(\.from))
    let left = all.subtracting(taken)
    return left.count == 1 ? left.first.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// 1–128 bytes and no control characters.
  package static func isValid(user: String) -> Bool {
    (1...128).contains(user.utf8.count)
      && user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
