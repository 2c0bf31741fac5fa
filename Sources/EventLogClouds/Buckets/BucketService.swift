import EventLog
import Synchronization

/// The authentication and the error codes of S3.
struct BucketService: CloudService {
  private let region: String
  private let clock: WallClock
  private let source: CredentialSource
  private let keys = SigningKeys()

  init(
    region: String, clock: WallClock,
    credentials: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials
  ) {
    (self.region, self.clock) = (region, clock)
    source = CredentialSource(credentials)
  }

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    let signature = RequestSignature(
      credentials: try await source.credentials(), region: region, service: "s3",
      keys: keys)
    let now = Timestamp(milliseconds: clock.now())
    return signature.sign(request, at: now ?? Timestamp(trusted: 0))
  }

  func refresh() async throws(CloudFailure) -> Bool { try await source.refresh() }

  /// Only 412 and `PreconditionFailed` mean that the name exists. Other conflicts are transient.
  func kind(of response: HTTPResponse) -> ResponseClass {
    let code = errorCode(of: response)
    let kind = ResponseClass(status: response.status, code: code)
    let isTransientConflict =
      kind == .alreadyExists && response.status == 409 && code != "PreconditionFailed"
    return isTransientConflict ? .transient : kind
  }

  func errorCode(of response: HTTPResponse) -> String? { error(of: response)?.child("Code")?.text }

  private func error(of response: HTTPResponse) -> XMLElement? {
    guard response.status >= 300, let root = XMLElement(parsing: response.body),
      root.name == "Error"
    else { return nil }
    return root
  }

  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    let error = error(of: response)
    let code = error?.child("Code")?.text
    var failure = CloudFailure(
      kind,
      "it answered \(response.status)" + (code.map { " (\(SafeText.quote($0)))" } ?? ""),
      serviceCode: code, retryAfter: response.retryAfter)
    switch code {
    case "RequestTimeTooSkewed":
      let server = error?.child("ServerTime").flatMap { Timestamp($0.text) } ?? response.date
      failure.reason += ", because \(skew(from: server))"
      failure.hint = "Set the clock of this device: S3 lets it differ by at most 15 minutes."
    case "NoSuchBucket": failure.hint = "Create the bucket, or correct its name."
    case "PermanentRedirect", "AuthorizationHeaderMalformed",
      "IllegalLocationConstraintException":
      let actualRegion = response.header("x-amz-bucket-region") ?? error?.child("Region")?.text
      failure.hint =
        actualRegion.map {
          "The bucket is not in the region \"\(region)\", but in \"\(SafeText.quote($0))\": name"
            + " that one."
        } ?? "Use the region in which the bucket is, rather than \"\(region)\"."
    case "NotImplemented":
      failure.hint = "Use a server that knows If-None-Match: without it, nothing can be put safely."
    default: break
    }
    if code != "PermanentRedirect", let target = response.redirectTarget {
      failure.reason += ", and redirects to \"\(SafeText.quote(target))\""
      failure.hint =
        "Redirects are not followed, because each request is signed for one server. If the bucket"
        + " is there, name that server with ?endpoint=."
    }
    return failure
  }

  /// A clause about the difference between the clocks. It contains the amount if the server's time
  /// is known.
  private func skew(from server: Timestamp?) -> String {
    guard let server else { return "the clock of this device differs from the server's" }
    let milliseconds = clock.now() - server.milliseconds
    let minutes = abs(milliseconds) / 60_000
    let amount = minutes < 120 ? "\(minutes) minutes" : "\(minutes / 60) hours"
    return "the clock of this device is \(amount) \(milliseconds < 0 ? "behind" : "ahead of")"
      + " the server's"
  }
}

/// Caches credentials until the server rejects them.
private actor CredentialSource {
  private let load: @Sendable () async throws(EventLogError) -> BucketCredentials
  private var current: BucketCredentials?

  init(_ load: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials) {
    self.load = load
  }

  func credentials() async throws(CloudFailure) -> BucketCredentials {
    if let current { return current }
    do throws(EventLogError) {
      let new = try await load()
      current = new
      return new
    } catch {
      throw CloudFailure(
        .unauthenticated, "there are no credentials", hint: error.hint ?? error.message)
    }
  }

  /// - Returns: Whether the credentials have changed.
  func refresh() async throws(CloudFailure) -> Bool {
    let old = current
    current = nil
    let new = try await credentials()
    return old?.accessKeyID != new.accessKeyID || old?.sessionToken != new.sessionToken
  }
}
