/// Whose journal it is, on which device, and what it allows.
///
/// Files, clock and randomness are those of the system; `JournalOptions.repeatable` of
/// `EventLogTesting` has others, for tests.
public struct JournalOptions: Sendable {
  /// Where the files are.
  package var fileSystem: any FileSystem
  /// Gives new events their `at`.
  package var clock: WallClock
  /// Gives device IDs their random end, and minted keys their characters.
  package var random: RandomText
  /// What a fresh device ID begins with, for example `phone`.
  public var deviceName: String
  /// Whose journal a new one is; nil: it must exist.
  public var user: String?
  /// How long an append waits for another process's lock.
  public var lockWaitMilliseconds: Int64
  /// Whether the state is kept in the side folder's `cache/`, so that the next opening reads that
  /// and the lines behind it. Without, every opening reads the whole journal.
  public var usesCheckpoints: Bool
  /// How many device IDs, and histories of one device ID, the journal may hold before replication
  /// refuses to bring new ones, with `tooManyDevices`. A person has a handful; thousands are
  /// somebody's attempt to make the journal slow for ever. A gap counts like a history.
  public var devicesMax: Int

  /// Options that differ from the defaults in what is given.
  public init(
    deviceName: String = "device", user: String? = nil, lockWaitMilliseconds: Int64 = 5000,
    usesCheckpoints: Bool = true, devicesMax: Int = 1000
  ) {
    self.init(
      fileSystem: SystemFileSystem(), clock: .system, random: .system, deviceName: deviceName,
      user: user, lockWaitMilliseconds: lockWaitMilliseconds, usesCheckpoints: usesCheckpoints,
      devicesMax: devicesMax)
  }

  /// The same with another system.
  @_disfavoredOverload
  package init(
    fileSystem: any FileSystem = SystemFileSystem(), clock: WallClock = .system,
    random: RandomText = .system, deviceName: String = "device", user: String? = nil,
    lockWaitMilliseconds: Int64 = 5000, usesCheckpoints: Bool = true, devicesMax: Int = 1000
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    self.deviceName = deviceName
    self.user = user
    self.lockWaitMilliseconds = lockWaitMilliseconds
    self.usesCheckpoints = usesCheckpoints
    self.devicesMax = devicesMax
  }
}
