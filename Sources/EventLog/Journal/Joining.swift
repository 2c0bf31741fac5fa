/// What a device's first event says. Names are the same only where their bytes are.
struct Joining: Sendable, Hashable {
  /// Whose device it is.
  let user: [UInt8]
  /// What it calls itself.
  let name: [UInt8]

  init(user: String, name: String) {
    (self.user, self.name) = (Array(user.utf8), Array(name.utf8))
  }

  /// Nil where it is no joining.
  init?(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard layout.version == 1, canonical.matches(layout.type, "device.joined"),
      let user = Ledger.text("user", of: layout, in: canonical),
      JournalUsers.isValid(user: user),
      let name = Ledger.text("name", of: layout, in: canonical)
    else { return nil }
    self.init(user: user, name: name)
  }

  /// Whether it comes first in the order of bytes.
  func precedes(_ other: Joining) -> Bool {
    user == other.user
      ? name.precedes(other.name) : user.precedes(other.user)
  }
}
