import EventLog

/// A journal on another machine: who logs in where, and its path there.
package struct MachineAddress: Sendable, Hashable {
  /// Who logs in; nil: whoever `ssh` is told to by its settings.
  package let user: String?
  /// A name, an IP address, or what the settings of `ssh` call a machine.
  package let host: String
  /// Nil: the one that `ssh` takes.
  package let port: Int?
  /// Where the journal is. A relative path begins at the home folder of whoever logs in, one with
  /// `~name/` at another one's.
  package let path: String

  /// Nil where a part could be taken for something else: a host or user that is empty, begins with
  /// `-` or has characters that names have not; no port; an empty path.
  package init?(user: String? = nil, host: String, port: Int? = nil, path: String) {
    guard Self.isName(host), user.map(Self.isName) ?? true, !path.isEmpty,
      !path.utf8.contains(0), port.map({ (1...65_535).contains($0) }) ?? true
    else { return nil }
    self.user = user
    self.host = host
    self.port = port
    self.path = Self.fromHome(path)
  }

  /// Names that no program takes for an option, and no shell for more than a word.
  private static func isName(_ text: String) -> Bool {
    let others = Array(":%+@".utf8)
    return !text.isEmpty && text.utf8.first != UInt8(ascii: "-")
      && text.utf8.allSatisfy {
        CharacterClass.device.contains($0) || $0 >= 0x80 || others.contains($0)
      }
  }

  /// The path without `~/`, where it begins anyway.
  private static func fromHome(_ path: String) -> String {
    guard path.utf8.starts(with: "~/".utf8) else { return path }
    let rest = path.dropFirst(2).drop { $0 == "/" }
    return rest.isEmpty || rest.first == "~" ? "./" + rest : String(rest)
  }
}
