extension PipeRemote {
  /// A journal on another machine, where `eventlog serve` hands it out, reached by `ssh`.
  ///
  /// - Parameter machine: `host:path`, or `ssh://user@host:port/path`.
  /// - Throws: `invalidInput` for what names no machine.
  public init(machine: String) throws(EventLogError) {
    guard case .machine(let address)? = RemoteAddress(machine) else {
      throw EventLogError(
        .invalidInput, "\"\(machine)\" names no journal on another machine.",
        hint: "Write host:path, or ssh://user@host:port/path.")
    }
    self.init(address)
  }

  /// The same, by another program or another name of the command there.
  ///
  /// Who may log in, and how, is told by the settings of `ssh`, which may ask a person for a
  /// password or a key. Nothing of this machine is forwarded.
  ///
  /// - Parameters:
  ///   - ssh: the program, which is given the options and arguments that OpenSSH takes.
  ///   - remoteCommand: what `eventlog` is called by the shell there.
  ///   - acceptsDevices: whether the journal there takes new devices beyond its
  ///     ``JournalOptions/devicesMax`` too.
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
  /// What `ssh` is told before the command.
  package var loginArguments: [String] {
    // No terminal, nothing forwarded, and no other command than ours, whatever its settings say.
    ["-T", "-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none"]
      + (port.map { ["-p", String($0)] } ?? [])
      // What follows is no option, whatever it is called.
      + ["--", (user.map { $0 + "@" } ?? "") + host]
  }

  /// What the shell of the other machine is told.
  package func serveCommand(_ eventlog: String, acceptsDevices: Bool = false) -> String {
    "\(eventlog) serve \(acceptsDevices ? "--accept-devices " : "")\(quotedPath)"
  }

  /// The path as any shell takes it for one word, unchanged but for a `~name/` at its beginning.
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
    // Inside quotes, some shells take backslashes for more than themselves.
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
