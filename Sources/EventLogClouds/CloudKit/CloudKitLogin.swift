package import EventLog

/// The sign-in to CloudKit in a terminal. The container's API token is in the environment, and the
/// user's web token is in the credential store.
package struct CloudKitLogin: Sendable {
  /// The environment variable with the container's token.
  private static let variable = "CLOUDKIT_API_TOKEN"

  private let location: CloudKitLocation
  private let environment: CloudEnvironment

  package init(_ location: CloudKitLocation, _ environment: CloudEnvironment) {
    (self.location, self.environment) = (location, environment)
  }

  /// The name of the stored token. It lacks the zone, because one person's token is valid for all
  /// zones.
  private var name: String { "cloudkit/\(location.container)/\(location.environment.rawValue)" }

  /// The credentials for requests.
  ///
  /// - Throws: `usage` if the container's token is missing.
  func credentials() throws(EventLogError) -> CloudKitCredentials {
    guard let token = environment.variable(Self.variable) else {
      throw EventLogError(
        .usage, "There is no API token for \"\(SafeText.quote(location.container))\".",
        hint: "Create one in CloudKit's console, and set \(Self.variable).")
    }
    let (store, name) = (try environment.requiredCredentialStore(), name)
    return CloudKitCredentials(
      apiToken: token,
      load: { () throws(EventLogError) in
        try await store.load(name).map { String(decoding: $0, as: UTF8.self) }
      },
      store: { (token) throws(EventLogError) in try await store.save(Array(token.utf8), as: name) })
  }

  /// Stores a web token from Apple's page.
  ///
  /// - Throws: `invalidInput` for a text that isn't a token.
  package func keep(_ webToken: String) async throws(EventLogError) {
    guard !webToken.isEmpty, webToken.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw EventLogError(
        .invalidInput, "A web token is one word. Nothing was changed.",
        hint: "Copy it from the address that Apple's page leads to, behind ckWebAuthToken=.")
    }
    try await environment.requiredCredentialStore().save(Array(webToken.utf8), as: name)
  }

  /// Removes the stored web token.
  ///
  /// - Returns: Whether there was one.
  package func forget() async throws(EventLogError) -> Bool {
    try await environment.requiredCredentialStore().forget(name)
  }
}
