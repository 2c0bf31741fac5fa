import EventLog

/// The address of a journal on another machine: the login, and the path there.
package struct MachineAddress: Sendable, Hashable {
  /// The user who logs in, or nil for that of the `ssh` settings.
  package let user: String?
  /// A name, an IP address, or a host in the `ssh` settings.
  package let host: String
  /// The port, or nil for that of the `ssh` settings.
  package let port: Int?
  /// The path of the journal.
  ///
  /// A relative path begins at the home folder of the user who logs in, and one with `~name/` at
  /// that of another user.
  package let path: String

  /// Returns nil if a part could be misread.
  ///
  /// Such parts are a host or user that is empty, begins with `-` or has characters that aren't
  /// allowed in names; an invalid port; an empty path.
  package init?(user: String? = nil, host: String, port: Int? = nil, path: String) {
    guard Self.isName(host), user.map(Self.isName) ?? true, !path.isEmpty,
      !path.utf8.contains(0), port.map({ (1...65_535).contains($0) }) ?? true
    else { return nil }
    self.user = user
    self.host = host
    self.port = port
    self.path = Self.fromHome(path)
  }

  /// Whether no program reads the name as an option, and no shell as more than a word.
  private static func isName(_ text: String) -> Bool {
    let others = Array(":%+@".utf8)
    return !text.isEmpty && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy {
        CharacterClass.device.contains($0) || $0 >= 0x80 || others.contains($0)
      }
  }

  /// Returns the path without a `~/`, which is implied.
  private static func fromHome(_ path: String) -> String {
    guard path.utf8.starts(with: "~/".utf8) else { return path }
    let rest = path.dropFirst(2).drop { $0 == "/" }
    return rest.isEmpty || rest.first == "~" ? "./" + rest : String(rest)
  }
}
