package import EventLog

/// Where credentials come from at a terminal: variables and files of the person, by the names that
/// the tools of each cloud use.
package struct CloudEnvironment: Sendable {
  /// The value of a variable.
  let variable: @Sendable (String) -> String?
  /// The text of a file; nil where it is not there.
  let file: @Sendable (String) throws(EventLogError) -> String?

  package init(
    variable: @escaping @Sendable (String) -> String?,
    file: @escaping @Sendable (String) throws(EventLogError) -> String?
  ) {
    self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    self.file = file
  }

  /// The file that a variable names, else one in the person's home folder.
  func text(of name: String, orNamedBy path: String) throws(EventLogError) -> String? {
    if let path = variable(path) { return try file(path) }
    guard let home = variable("HOME") else { return nil }
    return try file("\(home)/\(name)")
  }

  /// `HOST:PORT` of Firestore's emulator.
  var firestoreEmulator: String? { variable("FIRESTORE_EMULATOR_HOST") }

  /// Where the sign-ins are kept that the command has made; nil for a person without a home.
  var credentials: FileCredentialStore? {
    // A relative path is to be ignored, says the XDG Base Directory Specification.
    let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (folder ?? variable("HOME").map { "\($0)/.config" }).map {
      FileCredentialStore(folder: "\($0)/eventlog")
    }
  }

  /// The same for whoever cannot do without.
  ///
  /// - Throws: `usage` for a person without a home.
  func signIns() throws(EventLogError) -> FileCredentialStore {
    guard let credentials else {
      throw EventLogError(
        .usage, "There is no home folder to keep a sign-in in. Nothing was changed.",
        hint: "Set HOME or XDG_CONFIG_HOME.")
    }
    return credentials
  }
}

extension CloudAddress {
  /// The place, reached as the environment says.
  ///
  /// - Throws: `usage` where something is missing that no request can find out.
  package func storage(
    _ environment: CloudEnvironment, client: CloudClient = CloudClient(.system)
  ) throws(EventLogError) -> any ObjectStorage {
    switch self {
    case .bucket(let name, let prefix, let endpoint, let region):
      let profile = AWSProfile(environment)
      guard
        let place = profile.place(bucket: name, prefix: prefix, endpoint: endpoint, region: region)
      else {
        throw EventLogError(
          .usage, "AWS_ENDPOINT_URL is not an address of a server. Nothing was changed.",
          hint: "For example: https://objects.example.org")
      }
      return BucketStorage(
        place,
        credentials: { () throws(EventLogError) in try profile.credentials() },
        client: client, clock: .system)
    case .webDAV(let place):
      let host = RequestURL(place.url).host
      return WebDAVStorage(
        place,
        credentials: { () throws(EventLogError) in
          try Netrc.credentials(for: host, environment)
        },
        client: client, random: .system)
    case .firestore(let project, let user, let emulator):
      let emulator = emulator ?? environment.firestoreEmulator
      return FirestoreStorage(
        FirestorePlace(project: project, user: user, emulator: emulator),
        token: Self.tokens(project, user, emulator, environment, client), client: client)
    case .cloudKit(let place):
      return CloudKitStorage(
        place, credentials: try CloudKitLogin(place, environment).credentials(), client: client)
    }
  }

  /// Where documents for other clients are written; nil for a place that takes none.
  package func documentStore(
    _ environment: CloudEnvironment, client: CloudClient = CloudClient(.system)
  ) throws(EventLogError) -> (any DocumentStore)? {
    guard case .firestore(let project, let user, let emulator) = self else { return nil }
    let emulatorHost = emulator ?? environment.firestoreEmulator
    return FirestoreDocumentStore(
      FirestorePlace(project: project, user: user, emulator: emulatorHost),
      token: Self.tokens(project, user, emulatorHost, environment, client), client: client)
  }

  private static func tokens(
    _ project: String, _ user: String, _ emulator: String?, _ environment: CloudEnvironment,
    _ client: CloudClient
  ) -> @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String {
    emulator == nil
      ? FirestoreLogin(project: project, user: user, environment, client).tokens
      : FirestoreLogin.emulatorTokens(project: project, user: user)
  }

  /// The address that a text means in an environment: one that names the emulator which the
  /// environment names, so that nothing remembered of it is taken for the real place.
  package static func text(_ text: String, _ environment: CloudEnvironment) -> String {
    guard let emulator = environment.firestoreEmulator,
      case .firestore(let project, let user, nil)? = try? CloudAddress(text)
    else { return text }
    return FirestorePlace(project: project, user: user, emulator: emulator).address
  }
}
