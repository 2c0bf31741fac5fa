import EventLog
import EventLogClouds
import EventLogRemotes

/// A service under test.
enum TestedService: String, CaseIterable, Sendable {
  case s3, firestore, webDAV

  /// The device's time: 2026-01-28, 09:00 UTC.
  static let now: Int64 = 1_769_590_800_000

  /// Returns a storage of the service.
  ///
  /// - Parameters:
  ///   - transport: The transport for the requests.
  ///   - server: `HOST:PORT`.
  ///   - random: The randomness for the names of temporary files and the delays of retries.
  ///   - sleep: Waits before a retry.
  func storage(
    _ transport: some HTTPTransport, server: String = "127.0.0.1:1",
    random: RandomText = .system,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) -> any ObjectStorage {
    let client = CloudClient(transport, random: random, sleep: sleep)
    switch self {
    case .s3:
      return BucketStorage(
        BucketLocation(
          bucket: "bucket", prefix: "ada", region: "eu-central-1", endpoint: "http://\(server)"),
        credentials: { BucketCredentials(accessKeyID: "key", secretAccessKey: "secret-word") },
        client: client, clock: WallClock { Self.now })
    case .firestore:
      return FirestoreStorage(
        FirestoreLocation(project: "demo", user: "ada", emulator: server),
        token: { _ in "secret-word" }, client: client)
    case .webDAV:
      return WebDAVStorage(
        WebDAVLocation(url: "http://\(server)/ada")!,
        credentials: { WebDAVCredentials(user: "ada", password: "secret-word") },
        client: client, random: random)
    }
  }

  /// Returns a listing with one object.
  func listing(_ name: String, size: String = "10") -> HTTPResponse {
    switch self {
    case .s3:
      HTTPResponse(
        status: 200,
        text: """
          <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>ada/\(name)</Key>\
          <Size>\(size)</Size></Contents></ListBucketResult>
          """)
    case .firestore:
      HTTPResponse(
        status: 200,
        text: """
          [{"document":{"name":"projects/demo/databases/(default)/documents/users/ada/objects/\
          \(name)","fields":{"size":{"integerValue":"\(size)"},\
          "at":{"timestampValue":"2026-01-28T09:00:00Z"}}}}]
          """)
    case .webDAV:
      HTTPResponse(
        status: 207,
        text: """
          <d:multistatus xmlns:d="DAV:"><d:response><d:href>/ada/\(name)</d:href><d:propstat>\
          <d:prop><d:resourcetype/><d:getcontentlength>\(size)</d:getcontentlength></d:prop>\
          </d:propstat></d:response></d:multistatus>
          """)
    }
  }

  /// The responses to a successful put.
  var stored: [HTTPResponse] {
    switch self {
    case .s3: [HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"a\"")])]
    case .firestore: [HTTPResponse(status: 200, text: #"{"writeResults":[{}]}"#)]
    // The third response is to the check of the first move.
    case .webDAV: [HTTPResponse(status: 201), HTTPResponse(status: 201), HTTPResponse(status: 200)]
    }
  }

  /// Returns the response to a read of an object with this text.
  func content(_ text: String) -> HTTPResponse {
    guard self == .firestore else { return HTTPResponse(status: 200, text: text) }
    let count = text.utf8.count
    return HTTPResponse(
      status: 200,
      text: """
        {"fields":{"bytes":{"bytesValue":"\(Self.base64(text))"},\
        "size":{"integerValue":"\(count)"},"parts":{"integerValue":"1"}}}
        """)
  }

  private static func base64(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    var encoded = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let piece = Array(bytes[start..<min(start + 3, bytes.count)])
      let number = (0..<3).reduce(0) { $0 << 8 | ($1 < piece.count ? Int(piece[$1]) : 0) }
      for index in 0..<4 {
        encoded += index <= piece.count ? String(digits[number >> (18 - 6 * index) & 63]) : "="
      }
    }
    return encoded
  }
}

extension HTTPResponse {
  init(status: Int, headers: [HTTPHeader] = [], text: String) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
  }
}
