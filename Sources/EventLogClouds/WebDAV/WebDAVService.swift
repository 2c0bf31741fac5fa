import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The authentication of WebDAV servers: a name and password in each request.
struct WebDAVService: CloudService {
  let credentials: @Sendable () async throws(EventLogError) -> WebDAVCredentials?

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    let known: WebDAVCredentials?
    do throws(EventLogError) { known = try await credentials() } catch {
      throw CloudFailure(.signIn, "there are no credentials", hint: error.hint ?? error.message)
    }
    guard let known else { return request }
    var request = request
    let word = Data("\(known.user):\(known.password)".utf8).base64EncodedString()
    request.headers.append(HTTPHeader("Authorization", "Basic \(word)"))
    return request
  }

  func word(of answer: HTTPAnswer) -> String? { nil }

  /// The class of an answer.
  ///
  /// 501 means that the server doesn't support the method, so a retry can't succeed.
  func kind(of answer: HTTPAnswer) -> AnswerClass {
    answer.status == 501 ? .wrong : AnswerClass(status: answer.status)
  }

  func failure(
    _ kind: AnswerClass, _ answer: HTTPAnswer, to request: HTTPRequest
  ) -> CloudFailure {
    var failure = CloudFailure(
      kind, "it answered \(answer.status) to \(request.method)", retryAfter: answer.retryAfter)
    switch answer.status {
    case 401 where answer.offersOtherSignInOnly:
      failure.kind = .wrong
      failure.reason += ", and takes passwords in a way that isn't supported"
      failure.hint = "Let the server accept Basic authentication, which TLS protects."
    case 405, 501:
      if request.method == "PROPFIND" {
        failure.hint = "Check the address and the server's settings: it takes no WebDAV requests."
      }
    default: break
    }
    if let target = answer.redirectTarget { failure.addRedirect(to: target) }
    return failure
  }

  /// The failure of an answer that doesn't fit the request, or whose status has another meaning for
  /// other requests.
  func failure(of answer: HTTPAnswer, to request: HTTPRequest) -> CloudFailure {
    (200..<300).contains(answer.status)
      ? .senseless(answer) : failure(.wrong, answer, to: request)
  }
}

extension HTTPAnswer {
  /// Whether a server that rejects a request accepts only other schemes than Basic.
  fileprivate var offersOtherSignInOnly: Bool {
    let offers = headers.filter { $0.name.lowercased() == "www-authenticate" }
      .map { $0.value.lowercased() }
    return !offers.isEmpty && !offers.contains { $0.contains("basic") }
  }
}

extension CloudFailure {
  fileprivate mutating func addRedirect(to location: String) {
    reason += ", and redirects to \"\(SafeText.quote(location))\""
    hint = "Redirects are not followed, because requests contain a password."
    if let place = WebDAVLocation(url: location) {
      hint? += " If the folder is there, use \(place.address)."
    } else if location.lowercased().hasPrefix("http://") {
      hint? += " That address isn't encrypted either."
    }
  }
}
