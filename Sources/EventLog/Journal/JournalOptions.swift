/// A journal's user, device name, and limits.
///
/// These options use the system's files, clock, and randomness. In tests, use
/// `JournalOptions.repeatable` of `EventLogTesting` instead.
public struct JournalOptions: Sendable {
  /// The file system that contains the journal.
  package var fileSystem: any FileSystem
  /// The clock that gives new events their `at`.
  package var clock: WallClock
  /// The source of the random characters in device IDs and generated keys.
  package var random: RandomText
  /// The name of a new device, such as `phone`, which its ID begins with.
  ///
  /// If none is given, this is the name of the host up to its first dot, in lower case, or `device`
  /// if the system has no name.
  public var deviceName: String {
    get { givenDeviceName ?? HostName.current }
    set { givenDeviceName = Self.name(newValue) }
  }
  /// The name that was set, or nil.
  package private(set) var givenDeviceName: String?
  /// The user of a new journal: 1–128 bytes without control characters.
  ///
  /// If `nil`, the journal must exist.
  public var user: String?
  /// The time in milliseconds that an append waits for another process's lock.
  public var lockWaitMilliseconds: Int64
  /// A Boolean value that indicates whether the store keeps checkpoints of its state in `cache/` in
  /// the side folder.
  ///
  /// With a checkpoint, opening reads only the checkpoint and the lines after it. Without, opening
  /// reads the whole journal.
  public var usesCheckpoints: Bool
  /// The maximum number of device IDs, and of histories of a single device ID, that replication
  /// lets the journal contain.
  ///
  /// If a replication would exceed the limit, it fails with `tooManyDevices`. A user normally has a
  /// handful of devices; thousands are probably an attempt to slow the journal down. A gap counts
  /// like a history.
  public var devicesMax: Int

  /// Creates options.
  ///
  /// - Parameters:
  ///   - deviceName: The name of a new device. If `nil` or blank, a device that continues another
  ///     one of this machine, for example after a backup was restored, keeps that one's name. Any
  ///     other device has the name of the host.
  ///   - user: The user of a new journal. If `nil`, the journal must exist.
  ///   - lockWaitMilliseconds: The time that an append waits for another process's lock.
  ///   - usesCheckpoints: Whether the store keeps checkpoints of its state.
  ///   - devicesMax: The maximum number of device IDs, and of histories of a single device ID.
  public init(
    deviceName: String? = nil, user: String? = nil, lockWaitMilliseconds: Int64 = 5000,
    usesCheckpoints: Bool = true, devicesMax: Int = 1000
  ) {
    self.init(
      fileSystem: SystemFileSystem(), clock: .system, random: .system,
      deviceName: deviceName,
      user: user, lockWaitMilliseconds: lockWaitMilliseconds, usesCheckpoints: usesCheckpoints,
      devicesMax: devicesMax)
  }

  /// Returns the name, or nil if it is blank.
  private static func name(_ text: String) -> String? {
    text.allSatisfy(\.isWhitespace) ? nil : text
  }

  /// The current time of the clock.
  package var now: Timestamp { Timestamp(milliseconds: clock.now()) ?? Timestamp(trusted: 0) }

  /// - Throws: `invalidInput` for an invalid user name.
  func checkUser() throws(EventLogError) {
    guard let user, !JournalUsers.isValid(user: user) else { return }
    throw EventLogError(
      .invalidInput,
      "A user name has 1 to 128 bytes and no control characters. Nothing was written.",
      hint: "Use a name on one line, such as ada.")
  }

  /// Creates options with another file system, clock, or source of randomness.
  @_disfavoredOverload
  package init(
    fileSystem: any FileSystem = SystemFileSystem(), clock: WallClock = .system,
    random: RandomText = .system, deviceName: String? = "device", user: String? = nil,
    lockWaitMilliseconds: Int64 = 5000, usesCheckpoints: Bool = true, devicesMax: Int = 1000
  ) {
    self.fileSystem = fileSystem
    self.clock = clock
    self.random = random
    givenDeviceName = deviceName.flatMap(Self.name)
    self.user = user
    self.lockWaitMilliseconds = lockWaitMilliseconds
    self.usesCheckpoints = usesCheckpoints
    self.devicesMax = devicesMax
  }
}
