import EventLog

extension CloudKitCredentials {
  /// The variable that holds the token of the container.
  private static let variable = "CLOUDKIT_API_TOKEN"

  /// What a terminal signs in with: the container's token from the environment, the person's from
  /// a file below the person's configuration folder.
  ///
  /// - Throws: `usage` where the container's token is missing.
  init(_ place: CloudKitPlace, _ environment: CloudEnvironment) throws(EventLogError) {
    guard let token = environment.variable(Self.variable), let path = environment.path(of: place)
    else {
      throw EventLogError(
        .usage, "There is no API token for \"\(SafeText.quote(place.container))\".",
        hint: "Create one in CloudKit's console, and set \(Self.variable) and HOME.")
    }
    let hint = "Sign in to iCloud on Apple's page, and write the web token into \"\(path)\"."
    self.init(
      apiToken: token,
      load: { () throws(EventLogError) in
        let text = try environment.file(path) ?? ""
        let word = text.split(whereSeparator: \.isWhitespace).first
        guard let word else {
          throw EventLogError(.signInNeeded, "There is no web token.", hint: hint)
        }
        return String(word)
      },
      store: { (token) throws(EventLogError) in try environment.keep(path, token + "\n") })
  }
}

extension CloudEnvironment {
  /// The file of a person's web token; nil where the person has no folder.
  fileprivate func path(of place: CloudKitPlace) -> String? {
    var folder = variable("HOME").map { "\($0)/.config" }
    // The rules of these folders say to pass over a relative path.
    if let named = variable("XDG_CONFIG_HOME"), named.hasPrefix("/") { folder = named }
    return folder.map { "\($0)/eventlog/\(place.container)-\(place.environment.rawValue).token" }
  }
}
