package import EventLog

/// Where credentials come from at a terminal: variables and files of the person, by the names that
/// the tools of each cloud use.
package struct CloudEnvironment: Sendable {
  /// The value of a variable.
  let variable: @Sendable (String) -> String?
  /// The text of a file; nil where it is not there.
  let file: @Sendable (String) throws(EventLogError) -> String?
  /// Gives a file this text, whole or not at all, readable for its owner only.
  let keep: @Sendable (String, String) throws(EventLogError) -> Void

  package init(
    variable: @escaping @Sendable (String) -> String?,
    file: @escaping @Sendable (String) throws(EventLogError) -> String?,
    keep: @escaping @Sendable (String, String) throws(EventLogError) -> Void
  ) {
    self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    (self.file, self.keep) = (file, keep)
  }

  /// The file that a variable names, else one in the person's home folder.
  func text(of name: String, orNamedBy path: String) throws(EventLogError) -> String? {
    if let path = variable(path) { return try file(path) }
    guard let home = variable("HOME") else { return nil }
    return try file("\(home)/\(name)")
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
    case .firestore(let project, let user):
      let login = FirestoreLogin(project: project, user: user, environment)
      return FirestoreStorage(
        FirestorePlace(project: project, user: user, emulator: login.emulator),
        token: { (isRejected) throws(EventLogError) in try await login.token(isRejected) },
        client: client)
    case .cloudKit(let place):
      return CloudKitStorage(
        place, credentials: try CloudKitCredentials(place, environment), client: client)
    }
  }

  /// Where documents for other clients are written; nil for a place that takes none.
  package func documentStore(
    _ environment: CloudEnvironment, client: CloudClient = CloudClient(.system)
  ) throws(EventLogError) -> (any DocumentStore)? {
    guard case .firestore(let project, let user) = self else { return nil }
    let login = FirestoreLogin(project: project, user: user, environment)
    return FirestoreDocumentStore(
      FirestorePlace(project: project, user: user, emulator: login.emulator),
      token: { (isRejected) throws(EventLogError) in try await login.token(isRejected) },
      client: client)
  }
}
