package import EventLog

/// The user of a journal and the devices that belong to it, determined from all its lines.
package struct ReferenceUsers: Sendable {
  /// The user, or nil if it is ambiguous and must be given.
  package let user: String?
  /// Whether devices have joined, but none as the given user, so that the journal is refused.
  package let isOthers: Bool
  /// The user and all adopted users, as the bytes of their names.
  private let members: Set<[UInt8]>
  /// The users as whom each device has joined: several after a fork at its first event.
  private let joined: [DeviceID: Set<[UInt8]>]

  /// Determines the user and the adopted users.
  ///
  /// - Parameters:
  ///   - explicitUser: The user that the caller passed explicitly.
  ///   - own: The device of the copy that contains the lines.
  package init(
    _ lines: [ReferenceLine], user explicitUser: String? = nil, device own: DeviceID? = nil
  ) {
    var joined: [DeviceID: Set<[UInt8]>] = [:]
    for line in lines {
      if let joining = line.joining {
        joined[line.id.device, default: []].insert(Array(joining.user.utf8))
      }
    }
    var adoptions: [(from: [UInt8], to: [UInt8])] = []
    for line in lines {
      guard let (from, to) = line.adoption.map({ (Array($0.from.utf8), Array($0.to.utf8)) }),
        from != to, joined[line.id.device]?.contains(to) == true
      else { continue }
      adoptions.append((from, to))
    }
    self.joined = joined
    isOthers =
      explicitUser.map { explicitUser in
        !joined.isEmpty && !joined.values.contains { $0.contains(Array(explicitUser.utf8)) }
      } ?? false
    var user = explicitUser.map { Array($0.utf8) }
    if user == nil, let own { user = joined[own]?.min { $0.lexicographicallyPrecedes($1) } }
    if user == nil {
      let all = joined.values.reduce(into: Set()) { $0.formUnion($1) }
      let left = all.filter { user in !adoptions.contains { $0.from == user } }
      user = left.count == 1 ? left.first : nil
    }
    self.user = user.map { String(decoding: $0, as: UTF8.self) }
    var members = Set([user].compactMap { $0 })
    while let next = adoptions.first(where: {
      members.contains($0.to) && !members.contains($0.from)
    }) {
      members.insert(next.from)
    }
    self.members = members
  }

  /// Whether a device's lines belong to the journal's user.
  package func belongs(_ device: DeviceID) -> Bool {
    guard user != nil, let joined = joined[device] else { return true }
    return !joined.isDisjoint(with: members)
  }
}
