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
    let loaded: WebDAVCredentials?
    do throws(EventLogError) { loaded = try await credentials() } catch {
      throw CloudFailure(
        .unauthenticated, "there are no credentials", hint: error.hint ?? error.message)
    }
    guard let loaded else { return request }
    var request = request
    let encoded = Data("\(loaded.user):\(loaded.password)".utf8).base64EncodedString()
    request.headers.append(HTTPHeader("Authorization", "Basic \(encoded)"))
    return request
  }

  func errorCode(of response: HTTPResponse) -> String? { nil }

  /// Classifies a response.
  ///
  /// 501 means that the server doesn't support the method, so a retry can't succeed.
  func kind(of response: HTTPResponse) -> ResponseClass {
    response.status == 501 ? .misconfigured : ResponseClass(status: response.status)
  }

  func failure(
    _ kind: ResponseClass, _ response: HTTPResponse, to request: HTTPRequest
  ) -> CloudFailure {
    var failure = CloudFailure(
      kind, "it answered \(response.status) to \(request.method)", retryAfter: response.retryAfter)
    switch response.status {
    case 401 where response.offersOtherSignInOnly:
      failure.kind = .misconfigured
      failure.reason += ", and takes passwords in a way that isn't supported"
      failure.hint = "Let the server accept Basic authentication, which TLS protects."
    case 405, 501:
      if request.method == "PROPFIND" {
        failure.hint = "Check the address and the server's settings: it takes no WebDAV requests."
      }
    default: break
    }
    if let target = response.redirectTarget { failure.addRedirect(to: target) }
    return failure
  }

  /// Returns the failure of a response that is unexpected for the request, even if it is a success.
  func failure(of response: HTTPResponse, to request: HTTPRequest) -> CloudFailure {
    (200..<300).contains(response.status)
      ? .malformed(response) : failure(.misconfigured, response, to: request)
  }
}

extension HTTPResponse {
  /// Whether the server offers authentication schemes, but not Basic.
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
    if let location = WebDAVLocation(url: location) {
      hint? += " If the folder is there, use \(location.address)."
    } else if location.lowercased().hasPrefix("http://") {
      hint? += " That address isn't encrypted either."
    }
  }
}
