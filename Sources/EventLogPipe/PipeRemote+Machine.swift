public import EventLog

extension PipeRemote {
  /// Creates a remote for a journal on another machine that you reach with `ssh`.
  ///
  /// The other machine must have the command `eventlog`; `eventlog serve` provides the journal.
  ///
  /// - Parameter machine: The machine and the path of the journal: `host:path`, or
  ///   `ssh://user@host:port/path`.
  /// - Throws: `invalidInput` if `machine` isn't valid.
  public init(machine: String) throws(EventLogError) {
    guard let address = MachineAddress(machine) else {
      throw EventLogError(
        .invalidInput, "\"\(machine)\" is not a journal on another machine.",
        hint: "Use host:path, or ssh://user@host:port/path.")
    }
    self.init(address)
  }

  /// Creates a remote that uses another program than `ssh`, or another name for the command.
  ///
  /// The settings of `ssh` determine who may log in, and how. It may ask the user for a password or
  /// a key. Nothing of this machine is forwarded.
  ///
  /// - Parameters:
  ///   - machine: The machine and the path of the journal.
  ///   - ssh: The program. It receives the options and arguments of OpenSSH.
  ///   - remoteCommand: The name of `eventlog` in the shell of the other machine.
  ///   - acceptsDevices: Whether the other journal accepts new devices beyond its
  ///     ``JournalOptions/devicesMax``.
  ///   - limits: The limits of the protocol.
  package init(
    _ machine: MachineAddress, through ssh: [String] = ["ssh"],
    remoteCommand: String = "eventlog", acceptsDevices: Bool = false,
    limits: PipeLimits = PipeLimits()
  ) {
    self.init(
      address: machine.description,
      command: ssh + machine.loginArguments
        + [machine.serveCommand(remoteCommand, acceptsDevices: acceptsDevices)],
      limits: limits)
  }
}

extension MachineAddress {
  /// The arguments of `ssh` before the command.
  package var loginArguments: [String] {
    // No terminal, no forwarding, and no other command, whatever the `ssh` settings are.
    ["-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none"]
      + (port.map { ["-p", String($0)] } ?? [])
      // The rest isn't an option, even if it begins with `-`.
      + ["--", (user.map { $0 + "@" } ?? "") + host]
  }

  /// Returns the command for the shell of the other machine.
  package func serveCommand(_ eventlog: String, acceptsDevices: Bool = false) -> String {
    "\(eventlog) serve \(acceptsDevices ? "--accept-devices " : "")\(quotedPath)"
  }

  /// The path as a single word for any shell, unchanged except for a `~name/` at its beginning.
  private var quotedPath: String {
    var rest = path[...]
    var home = ""
    if path.first == "~", let slash = path.firstIndex(of: "/"),
      path[..<slash].dropFirst().utf8.allSatisfy(CharacterClass.device.contains)
    {
      home = String(path[...slash])
      rest = path[path.index(after: slash)...]
    } else if path.first == "-" {
      home = "./"
    }
    // Inside quotes, some shells interpret backslashes.
    var quoted = "'"
    for character in rest.unicodeScalars {
      switch character {
      case "'", "\\": quoted += "'\\\(character)'"
      default: quoted.unicodeScalars.append(character)
      }
    }
    return home + quoted + "'"
  }
}
