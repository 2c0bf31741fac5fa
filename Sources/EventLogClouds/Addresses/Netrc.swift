import EventLog

/// Reads the credentials of servers from `.netrc`, the file that curl and ftp use.
enum Netrc {
  /// - Parameter host: The host, with or without a port, which is ignored.
  static func credentials(
    for host: String, _ environment: CloudEnvironment
  ) throws(EventLogError) -> WebDAVCredentials? {
    let text = try environment.text(of: ".netrc", overriddenBy: "NETRC")
    return credentials(for: String(host.prefix { $0 != ":" }), in: text ?? "")
  }

  /// Returns the first complete entry for a machine or for all machines.
  static func credentials(for machine: String, in text: String) -> WebDAVCredentials? {
    var tokens = text.split(whereSeparator: \.isNewline)
      .filter { !$0.drop(while: \.isWhitespace).hasPrefix("#") }
      .flatMap { $0.split(whereSeparator: \.isWhitespace) }[...]
    var (isMatch, user, password): (Bool, String?, String?) = (false, nil, nil)
    func found() -> WebDAVCredentials? {
      guard isMatch, let user, let password else { return nil }
      return WebDAVCredentials(user: user, password: password)
    }
    while let token = tokens.popFirst() {
      switch token {
      case "machine", "default":
        if let found = found() { return found }
        isMatch = token == "default" || tokens.popFirst().map { $0 == machine } ?? false
        (user, password) = (nil, nil)
      case "login": user = tokens.popFirst().map(String.init)
      case "password": password = tokens.popFirst().map(String.init)
      case "account": tokens = tokens.dropFirst()
      default: break
      }
    }
    return found()
  }
}
