/// The content of a device's first event.
///
/// Names are compared by their bytes.
struct Joining: Sendable, Hashable {
  /// The user of the device.
  let user: [UInt8]
  /// The name of the device.
  let name: [UInt8]

  init(user: String, name: String) {
    (self.user, self.name) = (Array(user.utf8), Array(name.utf8))
  }

  /// Returns nil if the event isn't a `device.joined`.
  init?(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard layout.version == 1, canonical.matches(layout.type, "device.joined"),
      let user = Ledger.text("user", of: layout, in: canonical),
      JournalUsers.isValid(user: user),
      let name = Ledger.text("name", of: layout, in: canonical)
    else { return nil }
    self.init(user: user, name: name)
  }

  /// Whether it comes first in byte order.
  func precedes(_ other: Joining) -> Bool {
    user == other.user
      ? name.precedes(other.name) : user.precedes(other.user)
  }
}
