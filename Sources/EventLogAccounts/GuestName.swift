import EventLog

/// The generated names of guests.
enum GuestName {
  static func next(_ random: RandomText) -> String { JournalUsers.guestPrefix + random.next(16) }

  static func isGuest(_ user: String) -> Bool { JournalUsers.isGuest(user) }
}
