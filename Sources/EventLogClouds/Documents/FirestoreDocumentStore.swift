public import EventLog

/// A store in Firestore for the documents that other clients read.
///
/// The publishing state is in the documents `users/USER/published/LAYOUT`, which each commit
/// changes on the condition that no other publisher has changed them. The rules of the project must
/// let the user write these documents; `Docs/firestore.rules` does so for an example.
public struct FirestoreDocumentStore: DocumentStore {
  /// `firestore://PROJECT/USER`.
  public let address: String
  /// The user's Firebase ID.
  public let user: String
  private let encoding: FirestorePublishing
  private let client: CloudClient
  private let service: FirestoreService

  /// Creates a store for the documents of a project, written by a user.
  ///
  /// - Parameters:
  ///   - project: The ID of the Firebase project.
  ///   - user: The user's Firebase ID.
  ///   - token: Returns an ID token of the user. The argument is `true` if the last one was
  ///     rejected.
  public init(
    project: String, user: String,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  ) {
    self.init(
      FirestoreLocation(project: project, user: user), token: token, client: CloudClient(.system))
  }

  package init(
    _ location: FirestoreLocation,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    client: CloudClient
  ) {
    (address, user) = (location.address, location.user)
    encoding = FirestorePublishing(location)
    service = FirestoreService(token)
    self.client = client
  }

  /// 400 documents and 8 MiB: Firestore takes 500 and 10 MiB.
  public var commitMax: (count: Int, bytes: Int) { (400, 8 << 20) }

  /// Returns the number of bytes that a document takes up in a commit.
  ///
  /// - Throws: `invalidSchema` for a document that Firestore can't hold: over 1 MiB, with a list in
  ///   a list, with a field without a name or called `__…__`, or with a number that is too large.
  public func byteCount(of document: PublishedDocument) throws(EventLogError) -> Int {
    try encoding.write(document).text.utf8.count
  }

  /// Reads the documents `published/NAME` of the user, all at one point in time.
  public func texts(
    _ names: [String]
  ) async throws(EventLogError) -> [String: (text: String, revision: String)] {
    let (kind, response) = try await send(encoding.readRequest(names), isReading: true)
    guard kind == .success, let texts = encoding.texts(response.body, names) else {
      throw failure(kind, response).error(at: address, isReading: true)
    }
    return texts
  }

  /// Changes the documents and texts in one commit.
  public func commit(_ commit: DocumentCommit) async throws(EventLogError) -> String? {
    let (kind, response) = try await send(
      encoding.database.commit(try encoding.writes(commit)), isReading: false, accepting: [400])
    if kind == .success, let revision = encoding.revision(response.body) { return revision }
    // The revision isn't the required one.
    let isOutdated =
      service.errorCode(of: response) == "FAILED_PRECONDITION" || kind == .alreadyExists
      || kind == .notFound && commit.revision != nil
    if isOutdated { return nil }
    throw failure(kind, response).error(at: address, isReading: false)
  }

  /// Returns the failure of an unexpected response.
  private func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    kind == .success ? .malformed(response) : service.failure(.misconfigured, response)
  }

  private func send(
    _ request: HTTPRequest, isReading: Bool, accepting accepted: Set<Int> = []
  ) async throws(EventLogError) -> (ResponseClass, HTTPResponse) {
    do throws(EventLogError) {
      return try await client.send(
        request, to: service, at: address, isReading: isReading, accepting: accepted)
    } catch {
      guard error.code == .accessDenied else { throw error }
      throw EventLogError(
        error.code, error.message,
        hint: "Check that this user is signed in, and that the rules of the project let the user"
          + " write users/USER/published and all paths of the layout.", cause: error.cause)
    }
  }
}
