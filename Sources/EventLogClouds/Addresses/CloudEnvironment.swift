package import EventLog
package import EventLogRemotes

/// Provides credentials in a terminal, from the environment variables and files of each cloud's own
/// tools.
package struct CloudEnvironment: Sendable {
  /// Returns the value of an environment variable, or nil if it is unset or empty.
  let variable: @Sendable (String) -> String?
  typealias File = @Sendable (String) throws(EventLogError) -> String?

  /// Reads a file with secrets. Returns nil if it doesn't exist.
  private let secrets: File
  /// Reads a file without secrets. Returns nil if it doesn't exist.
  private let settings: File

  /// - Parameters:
  ///   - variable: Returns the value of a variable.
  ///   - file: Returns the text of a file with secrets, or `nil` if it doesn't exist.
  ///   - settings: The same for a file without secrets, which others may read. `nil` if all files
  ///     are read with `file`.
  package init(
    variable: @escaping @Sendable (String) -> String?,
    file: @escaping @Sendable (String) throws(EventLogError) -> String?,
    settings: (@Sendable (String) throws(EventLogError) -> String?)? = nil
  ) {
    self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    (secrets, self.settings) = (file, settings ?? file)
  }

  /// Reads a file with secrets: the one that a variable names, or else the default one in the home
  /// folder.
  func text(of name: String, overriddenBy variable: String) throws(EventLogError) -> String? {
    guard let path = path(of: name, overriddenBy: variable) else { return nil }
    return try secrets(path)
  }

  /// Like `text(of:overriddenBy:)`, for a file without secrets.
  func settings(of name: String, overriddenBy variable: String) throws(EventLogError) -> String? {
    guard let path = path(of: name, overriddenBy: variable) else { return nil }
    return try settings(path)
  }

  private func path(of name: String, overriddenBy override: String) -> String? {
    variable(override) ?? variable("HOME").map { "\($0)/\(name)" }
  }

  /// Returns a client that trusts the certificates named in the environment.
  ///
  /// On Apple's systems, the keychain determines which certificates are trusted.
  func client(isAWS: Bool = false) -> CloudClient {
    #if canImport(Darwin)
      CloudClient(.system)
    #else
      CloudClient(
        CurlTransport(
          certificates: (isAWS ? variable("AWS_CA_BUNDLE") : nil) ?? variable("SSL_CERT_FILE")))
    #endif
  }

  /// `HOST:PORT` of Firestore's emulator.
  var firestoreEmulator: String? { variable("FIRESTORE_EMULATOR_HOST") }

  /// The store for the command's sign-ins, or nil without a home folder.
  var credentialStore: FileCredentialStore? {
    // The XDG Base Directory Specification requires relative paths to be ignored.
    let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (folder ?? variable("HOME").map { "\($0)/.config" }).map {
      FileCredentialStore(folder: "\($0)/eventlog")
    }
  }

  /// The store for the command's sign-ins.
  ///
  /// - Throws: `usage` if there is no home folder.
  func requiredCredentialStore() throws(EventLogError) -> FileCredentialStore {
    guard let credentialStore else {
      throw EventLogError(
        .usage, "There is no home folder to keep a sign-in in. Nothing was changed.",
        hint: "Set HOME or XDG_CONFIG_HOME.")
    }
    return credentialStore
  }
}

extension CloudAddress {
  /// Returns the storage at this address, with the settings of the environment.
  ///
  /// - Parameter isCanonical: Whether the address comes from ``canonicalText(_:_:isCanonical:)``.
  ///   Its meaning then doesn't depend on the environment.
  /// - Throws: `usage` if a required setting is missing.
  package func storage(
    _ environment: CloudEnvironment, client: CloudClient? = nil, isCanonical: Bool = false
  ) throws(EventLogError) -> any ObjectStorage {
    let client = client ?? environment.client(isAWS: isBucket)
    switch self {
    case .bucket(let name, let prefix, let endpoint, let region):
      let profile = AWSProfile(environment)
      return BucketStorage(
        try profile.location(
          bucket: name, prefix: prefix, endpoint: endpoint, region: region,
          isCanonical: isCanonical && region != nil),
        credentials: { () throws(EventLogError) in try profile.credentials() },
        client: client, clock: .system)
    case .webDAV(let location):
      let host = RequestURL(location.url).host
      return WebDAVStorage(
        location,
        credentials: { () throws(EventLogError) in
          try Netrc.credentials(for: host, environment)
        },
        client: client, random: .system)
    case .firestore(let project, let user, let emulator):
      let emulator = emulator ?? environment.firestoreEmulator
      return FirestoreStorage(
        FirestoreLocation(project: project, user: user, emulator: emulator),
        token: Self.tokens(project, user, emulator, environment, client), client: client)
    case .cloudKit(let location):
      return CloudKitStorage(
        location, credentials: try CloudKitLogin(location, environment).credentials(),
        client: client)
    }
  }

  /// Returns the store of documents for other clients, or nil if this cloud doesn't support one.
  package func documentStore(
    _ environment: CloudEnvironment, client: CloudClient? = nil
  ) throws(EventLogError) -> (any DocumentStore)? {
    let client = client ?? environment.client()
    guard case .firestore(let project, let user, let emulator) = self else { return nil }
    let emulatorHost = emulator ?? environment.firestoreEmulator
    return FirestoreDocumentStore(
      FirestoreLocation(project: project, user: user, emulator: emulatorHost),
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

  private var isBucket: Bool { if case .bucket = self { true } else { false } }

  /// Returns the canonical form of an address.
  ///
  /// It includes the endpoint, region and emulator from the environment. So it means the same in
  /// any environment, and remotes never share a record.
  ///
  /// - Parameter isCanonical: Whether the text is already canonical. With a region and no endpoint,
  ///   it then means AWS, even if the environment names an endpoint.
  package static func canonicalText(
    _ text: String, _ environment: CloudEnvironment, isCanonical: Bool = false
  ) -> String {
    do throws(EventLogError) {
      switch try CloudAddress(text) {
      case .bucket(let name, let prefix, let endpoint, let region):
        return try AWSProfile(environment).location(
          bucket: name, prefix: prefix, endpoint: endpoint, region: region,
          isCanonical: isCanonical && region != nil
        ).address
      case .webDAV(let location): return location.address
      case .firestore(let project, let user, let emulator):
        return FirestoreLocation(
          project: project, user: user, emulator: emulator ?? environment.firestoreEmulator
        ).address
      case .cloudKit(let location): return location.address
      }
    } catch {
      // The caller finds the error when it uses the address.
      return text
    }
  }
}
