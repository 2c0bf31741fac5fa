package import EventLog

/// Whose journal it is, and which devices belong to it, by all lines that are held.
package struct ReferenceUsers: Sendable {
  /// Nil where several are left, or none: then somebody has to say.
  package let user: String?
  /// Whether somebody is given as whom no device has joined, while others have: such a journal is
  /// refused.
  package let isOthers: Bool
  /// Who belongs: the user, and those who were adopted; by the bytes of their names.
  private let members: Set<[UInt8]>
  /// Per device whom it joined as: after a fork at its very beginning, several.
  private let joined: [DeviceID: Set<[UInt8]>]

  /// - Parameters:
  ///   - given: whose journal somebody says that it is.
  ///   - own: the device of the copy that holds the lines.
  package init(_ lines: [ReferenceLine], user given: String? = nil, device own: DeviceID? = nil) {
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
      given.map { given in
        !joined.isEmpty && !joined.values.contains { $0.contains(Array(given.utf8)) }
      } ?? false
    var user = given.map { Array($0.utf8) }
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

  /// Whether the lines of a device count.
  package func belongs(_ device: DeviceID) -> Bool {
    guard user != nil, let joined = joined[device] else { return true }
    return !joined.isDisjoint(with: members)
  }
}
