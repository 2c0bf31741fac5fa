import EventLog

/// Signs requests to S3 and compatible servers: AWS Signature Version 4.
struct RequestSignature: Sendable {
  let credentials: BucketCredentials
  let region: String
  let service: String
  var keys = SigningKeys()

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - request: The request, whose path and query are already encoded. It can contain
  ///     ``contentHeader(_:)``.
  ///   - time: The current time. The server accepts a difference of 15 minutes.
  /// - Returns: The request with the headers of the signature.
  func sign(_ request: HTTPRequest, at time: Timestamp) -> HTTPRequest {
    var request = request
    let url = RequestURL(request.url)
    let timestamp = Self.timestamp(time)
    let known = request.headers.first { $0.name == Self.contentHeaderName }
    let header = known ?? Self.contentHeader(SHA256.digest(request.body))
    if known == nil { request.headers.append(header) }
    request.headers.append(HTTPHeader("x-amz-date", timestamp))
    if let token = credentials.sessionToken {
      request.headers.append(HTTPHeader("x-amz-security-token", token))
    }
    let headers =
      (request.headers + [HTTPHeader("host", url.host)])
      .map { HTTPHeader($0.name.lowercased(), Self.trimmed($0.value)) }
      .sorted { $0.name < $1.name }
    let names = headers.map(\.name).joined(separator: ";")
    let canonical =
      [
        request.method, url.path, url.sortedQuery,
        headers.map { "\($0.name):\($0.value)\n" }.joined(), names,
        header.value,
      ].joined(separator: "\n")
    let scope = "\(timestamp.prefix(8))/\(region)/\(service)/aws4_request"
    let toSign = [
      "AWS4-HMAC-SHA256", timestamp, scope, hexadecimal(SHA256.digest(Array(canonical.utf8))),
    ].joined(separator: "\n")
    let key = keys.key(
      credentials.secretAccessKey, [String(timestamp.prefix(8)), region, service, "aws4_request"])
    let signature = hexadecimal(HMAC.code(Array(toSign.utf8), key: key))
    request.headers.append(
      HTTPHeader(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
          + "SignedHeaders=\(names), Signature=\(signature)"))
    return request
  }

  private static let contentHeaderName = "x-amz-content-sha256"

  /// Returns the header with the SHA-256 of the body.
  static func contentHeader(_ sha256: [UInt8]) -> HTTPHeader {
    HTTPHeader(contentHeaderName, hexadecimal(sha256))
  }

  /// Returns the time in the format `20130524T000000Z`.
  static func timestamp(_ time: Timestamp) -> String {
    let text = time.description
    return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// Removes leading and trailing spaces, and replaces runs of spaces by one.
  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ").joined(separator: " ")
  }
}
