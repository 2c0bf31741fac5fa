public import EventLog

extension JournalOptions {
  /// Returns options with which the same calls write the same bytes in each run.
  ///
  /// The clock is under the control of the test, and a seed determines device IDs and generated
  /// keys. Stores in the same test need different names or seeds, or else they get the same IDs.
  ///
  /// - Parameters:
  ///   - device: The prefix of the device ID.
  ///   - user: The user of a new journal. If `nil`, the journal must exist.
  ///   - clock: The clock that gives events their times.
  ///   - seed: The seed for device IDs and generated keys.
  public static func repeatable(
    device: String = "phone", user: String? = "ada", clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1
  ) -> JournalOptions {
    repeatable(
      device: device, user: user, clock: clock, seed: seed, fileSystem: SystemFileSystem())
  }

  /// Returns repeatable options for a file system.
  package static func repeatable(
    device: String = "phone", user: String? = "ada", clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1, fileSystem: any FileSystem
  ) -> JournalOptions {
    JournalOptions(
      fileSystem: fileSystem, clock: clock.wallClock, random: .seeded(seed ^ hash(of: device)),
      deviceName: device, user: user, lockWaitMilliseconds: 30_000)
  }

  /// Returns a hash (FNV-1a) that is the same in each run, unlike `Hasher`'s.
  ///
  /// It makes devices with the same seed generate different keys.
  private static func hash(of name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
