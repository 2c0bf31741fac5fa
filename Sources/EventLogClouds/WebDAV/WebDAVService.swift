import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How WebDAV servers want to know who asks: by a name and password in each request.
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
}
