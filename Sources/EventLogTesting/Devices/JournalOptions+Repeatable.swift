public import EventLog

extension JournalOptions {
  /// Options under which the same calls write the same bytes in each run: a clock that a test
  /// holds, and device IDs and minted keys that follow from a seed.
  ///
  /// Stores of one test need different names or different seeds: else they come to the same IDs.
  ///
  /// - Parameters:
  ///   - device: what the device ID begins with; the seed gives the rest.
  ///   - user: whose journal a new one is; nil: it must exist.
  public static func repeatable(
    device: String = "phone", user: String? = "ada", clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1
  ) -> JournalOptions {
    repeatable(
      device: device, user: user, clock: clock, seed: seed, fileSystem: SystemFileSystem())
  }

  /// The same on another disk.
  package static func repeatable(
    device: String = "phone", user: String? = "ada", clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1, fileSystem: any FileSystem
  ) -> JournalOptions {
    JournalOptions(
      fileSystem: fileSystem, clock: clock.wallClock, random: .seeded(seed ^ hash(of: device)),
      deviceName: device, user: user, lockWaitMilliseconds: 30_000)
  }

  /// A number that is the same in each run, unlike `Hasher`'s (FNV-1a): so two devices of one seed
  /// mint different keys.
  private static func hash(of name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
