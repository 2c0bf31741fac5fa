import EventLog
import Synchronization

/// The signature for S3 and compatible servers: AWS Signature Version 4.
struct RequestSignature: Sendable {
  let credentials: BucketCredentials
  let region: String
  let service: String
  var keys = SigningKeys()

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - request: The request, with its path and query already encoded.
  ///   - time: The current time. The server accepts a difference of 15 minutes.
  /// - Returns: The request with the headers of the signature.
  func sign(_ request: HTTPRequest, at time: Timestamp) -> HTTPRequest {
    var request = request
    let url = RequestURL(request.url)
    let timestamp = Self.timestamp(time)
    let content = hexadecimal(SHA256.digest(request.body))
    request.headers.append(HTTPHeader("x-amz-content-sha256", content))
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
        headers.map { "\($0.name):\($0.value)\n" }.joined(), names, content,
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

  /// `20130524T000000Z`.
  static func timestamp(_ time: Timestamp) -> String {
    let text = time.description
    return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// A value without surrounding space, and with runs of spaces folded into one.
  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ").joined(separator: " ")
  }
}

/// A cache of the signing key, which is the same for a whole day.
final class SigningKeys: Sendable {
  private let last = Mutex<(inputs: [String], key: [UInt8])?>(nil)

  /// The key derived from a secret for a date, region and service.
  func key(_ secret: String, _ parts: [String]) -> [UInt8] {
    let inputs = [secret] + parts
    // `==` would also accept canonically equivalent words, which make another key.
    if let last = last.withLock({ $0 }), inputs.count == last.inputs.count,
      zip(inputs, last.inputs).allSatisfy({ $0.hasBytes(of: $1) })
    {
      return last.key
    }
    var key = Array("AWS4\(secret)".utf8)
    for part in parts { key = HMAC.code(Array(part.utf8), key: key) }
    last.withLock { $0 = (inputs, key) }
    return key
  }
}

/// The parts of a URL that a signature covers.
struct RequestURL {
  let host: String
  let path: String
  let query: String

  /// - Parameter url: A URL with a scheme.
  init(_ url: String) {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    host = String(rest[..<end])
    let (path, query) = Self.split(rest[end...], at: "?")
    self.path = path.isEmpty ? "/" : String(path)
    self.query = String(query)
  }

  /// The parameters, sorted by name and value, each with a `=`.
  var sortedQuery: String {
    query.split(separator: "&").map { pair in
      let (name, value) = Self.split(pair, at: "=")
      return (String(name), String(value))
    }
    .sorted { $0 < $1 }
    .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  private static func split(
    _ text: Substring, at separator: Character
  ) -> (Substring, Substring) {
    guard let index = text.firstIndex(of: separator) else { return (text, "") }
    return (text[..<index], text[text.index(after: index)...])
  }
}
