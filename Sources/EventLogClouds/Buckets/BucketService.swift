import EventLog
import Synchronization

/// How S3 wants requests signed, and how it names errors.
struct BucketService: CloudService {
  private let region: String
  private let clock: WallClock
  private let source: CredentialSource

  init(
    region: String, clock: WallClock,
    credentials: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials
  ) {
    (self.region, self.clock) = (region, clock)
    source = CredentialSource(credentials)
  }

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    let signature = RequestSignature(
      credentials: try await source.credentials(), region: region, service: "s3")
    let now = Timestamp(milliseconds: clock.now())
    return signature.sign(request, at: now ?? Timestamp(trusted: 0))
  }

  func refresh() async throws(CloudFailure) -> Bool { try await source.refresh() }

  func word(of answer: HTTPAnswer) -> String? {
    guard answer.status >= 300, let root = XMLElement(parsing: answer.body),
      root.name == "Error"
    else { return nil }
    return root.child("Code")?.text
  }

  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    let word = word(of: answer)
    var failure = CloudFailure(
      kind,
      "it answered \(answer.status)" + (word.map { " (\(SafeText.quote($0)))" } ?? ""),
      word: word, retryAfter: answer.retryAfter)
    switch word {
    case "RequestTimeTooSkewed":
      failure.hint =
        "Set the clock of this device: it differs from the server's by more than 15"
        + " minutes."
    case "NoSuchBucket": failure.hint = "Create the bucket, or correct its name."
    case "PermanentRedirect", "AuthorizationHeaderMalformed",
      "IllegalLocationConstraintException":
      let region = answer.header("x-amz-bucket-region").map(SafeText.quote)
      failure.hint =
        region.map { "Use the region of the bucket: \($0)." }
        ?? "Use the region in which the bucket is."
    case "NotImplemented":
      failure.hint = "Use a server that knows If-None-Match: without it, nothing can be put safely."
    default: break
    }
    return failure
  }
}

/// Credentials that are asked for once, and again when they are no longer accepted.
private actor CredentialSource {
  private let ask: @Sendable () async throws(EventLogError) -> BucketCredentials
  private var current: BucketCredentials?

  init(_ ask: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials) {
    self.ask = ask
  }

  func credentials() async throws(CloudFailure) -> BucketCredentials {
    if let current { return current }
    do throws(EventLogError) {
      let new = try await ask()
      current = new
      return new
    } catch {
      throw CloudFailure(.signIn, "there are no credentials", hint: error.hint ?? error.message)
    }
  }

  /// - Returns: whether there are others than before.
  func refresh() async throws(CloudFailure) -> Bool {
    let old = current
    current = nil
    let new = try await credentials()
    return old?.accessKeyID != new.accessKeyID || old?.sessionToken != new.sessionToken
  }
}
