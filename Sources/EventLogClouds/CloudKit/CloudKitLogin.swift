package import EventLog

/// How a person at a terminal stays signed in to CloudKit: the container's token comes from the
/// environment, the person's own is kept with the other sign-ins.
package struct CloudKitLogin: Sendable {
  /// The variable that holds the token of the container.
  private static let variable = "CLOUDKIT_API_TOKEN"

  private let place: CloudKitPlace
  private let environment: CloudEnvironment

  package init(_ place: CloudKitPlace, _ environment: CloudEnvironment) {
    (self.place, self.environment) = (place, environment)
  }

  /// All zones of a container are one person's.
  private var name: String { "cloudkit/\(place.container)/\(place.environment.rawValue)" }

  /// What the requests are signed with.
  ///
  /// - Throws: `usage` where the container's token is missing.
  func credentials() throws(EventLogError) -> CloudKitCredentials {
    guard let token = environment.variable(Self.variable) else {
      throw EventLogError(
        .usage, "There is no API token for \"\(SafeText.quote(place.container))\".",
        hint: "Create one in CloudKit's console, and set \(Self.variable).")
    }
    let (store, name) = (try environment.signIns(), name)
    return CloudKitCredentials(
      apiToken: token,
      load: { () throws(EventLogError) in
        try await store.load(name).map { String(decoding: $0, as: UTF8.self) }
      },
      store: { (token) throws(EventLogError) in try await store.save(Array(token.utf8), as: name) })
  }

  /// Keeps a web token, as Apple's page gives it.
  ///
  /// - Throws: `invalidInput` for a text that is none.
  package func keep(_ webToken: String) async throws(EventLogError) {
    guard !webToken.isEmpty, webToken.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw EventLogError(
        .invalidInput, "A web token is one word. Nothing was changed.",
        hint: "Copy it from the address that Apple's page leads to, behind ckWebAuthToken=.")
    }
    try await environment.signIns().save(Array(webToken.utf8), as: name)
  }

  /// Forgets the token.
  ///
  /// - Returns: whether there was one.
  package func forget() async throws(EventLogError) -> Bool {
    try await environment.signIns().forget(name)
  }
}
