public import EventLog

/// The documents of other clients in Firestore.
///
/// What was published is remembered in `users/USER/published/LAYOUT`, which each commit changes
/// under the condition that nobody else has. The rules of the project need to let the user write
/// these documents; `Docs/firestore.rules` does so for an example.
public struct FirestoreDocumentStore: DocumentStore {
  /// `firestore://PROJECT/USER`.
  public let address: String
  /// The user's Firebase ID.
  public let user: String
  private let spelling: FirestorePublishing
  private let client: CloudClient
  private let service: FirestoreService

  /// Creates a store for the documents of a project, written by a user.
  ///
  /// - Parameters:
  ///   - project: The ID of the Firebase project.
  ///   - user: The user's Firebase ID.
  ///   - token: Returns an ID token of the user. With `true`, the last one was not accepted.
  public init(
    project: String, user: String,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  ) {
    self.init(
      FirestorePlace(project: project, user: user), token: token, client: CloudClient(.system))
  }

  package init(
    _ place: FirestorePlace,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    client: CloudClient
  ) {
    (address, user) = (place.address, place.user)
    spelling = FirestorePublishing(place)
    service = FirestoreService(token)
    self.client = client
  }

  /// 400 documents and 8 MiB: Firestore takes 500 and 10 MiB.
  public var commitMax: (documents: Int, bytes: Int) { (400, 8 << 20) }

  /// Reads the document `published/LAYOUT` of the user.
  public func published(
    _ name: String
  ) async throws(EventLogError) -> (text: String, revision: String)? {
    let (kind, answer) = try await send(spelling.reading(name), isReading: true)
    guard kind == .done else { return nil }
    guard let found = spelling.state(answer.body) else {
      throw CloudFailure.senseless(answer).error(at: address, isReading: true)
    }
    return found
  }

  /// Changes the documents and `published/LAYOUT` in one commit.
  public func commit(
    _ written: [PublishedDocument], deleting deleted: [String], publishing text: String,
    _ name: String, after revision: String?
  ) async throws(EventLogError) -> String? {
    var writes: [JSONValue] = []
    for document in written { writes.append(try spelling.writing(document)) }
    writes += deleted.map(spelling.deleting)
    writes.append(spelling.publishing(text, name, after: revision))
    let (kind, answer) = try await send(
      spelling.commit(writes), isReading: false, accepting: [400])
    if kind == .done {
      guard let revision = spelling.revision(answer.body) else {
        throw CloudFailure.senseless(answer).error(at: address, isReading: false)
      }
      return revision
    }
    // The condition does not hold: another revision is there, none, or already one.
    let isElsewhere =
      service.word(of: answer) == "FAILED_PRECONDITION" || kind == .taken
      || kind == .missing && revision != nil
    if isElsewhere { return nil }
    throw service.failure(.wrong, answer).error(at: address, isReading: false)
  }

  private func send(
    _ request: HTTPRequest, isReading: Bool, accepting accepted: Set<Int> = []
  ) async throws(EventLogError) -> (AnswerClass, HTTPAnswer) {
    try await client.send(
      request, to: service, at: address, isReading: isReading, accepting: accepted)
  }
}
