import EventLog
import Foundation
import Synchronization

/// A local server for the parts of Firebase Auth and Firestore that the command uses.
final class FirebaseServer: Sendable {
  struct Request: Sendable {
    var path: String
    var body: String
  }

  let port: UInt16
  private let listener: Int32
  private let requestsSoFar = Mutex<[Request]>([])
  private let refusal = Mutex<String?>(nil)
  private let isStopped = Mutex(false)
  /// The fields of each document, by its name.
  private let stored = Mutex<[String: JSONValue]>([:])

  var requests: [Request] { requestsSoFar.withLock { $0 } }
  var host: String { "127.0.0.1:\(port)" }
  /// The environment in which the command uses this server.
  var environment: [String: String] { ["FIREBASE_AUTH_EMULATOR_HOST": host] }

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    Thread { [self] in accept() }.start()
  }

  /// Stops accepting connections.
  func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  /// Refuses all later sign-ins and tokens with an error message.
  func refuse(_ word: String) { refusal.withLock { $0 = word } }

  /// Removes all documents.
  func empty() { stored.withLock { $0 = [:] } }

  /// The number of requests for a method of the service.
  func count(_ method: String) -> Int { requests.count { $0.path.contains(method) } }

  // MARK: - Answers

  private func respond(_ request: Request) -> (status: Int, body: String) {
    if request.path.contains("documents") { return documents(request) }
    if let word = refusal.withLock({ $0 }) {
      return (400, #"{"error":{"code":400,"message":"\#(word)","status":"INVALID_ARGUMENT"}}"#)
    }
    if request.path.contains(":signInWithPassword") {
      guard request.body.contains(#""password":"pass-word""#) else {
        return (400, #"{"error":{"code":400,"message":"INVALID_LOGIN_CREDENTIALS"}}"#)
      }
      return (200, Self.tokens("mail-user", "password"))
    }
    let user = "guest-\(count(":signUp"))"
    if request.path.contains("/token") {
      let whose = request.body.contains("mail-user") ? "mail-user" : user
      let (id, refresh) = (Self.token(whose, "password"), "refresh-\(whose)")
      return (
        200, #"{"id_token":"\#(id)","refresh_token":"\#(refresh)","expires_in":"3600"}"#
      )
    }
    return (200, Self.tokens(user, "anonymous"))
  }

  private func documents(_ request: Request) -> (status: Int, body: String) {
    if request.path.contains(":runQuery") {
      let rows = stored.withLock { $0 }.sorted { $0.key < $1.key }.map { name, fields in
        let document: JSONObject = ["name": .string(name), "fields": fields]
        return JSONValue.object(["document": .object(document)])
      }
      return (200, rows.isEmpty ? #"[{"readTime":"x"}]"# : JSONValue.array(rows).description)
    }
    if request.path.contains(":commit") {
      let body = try? JSONValue(parsing: request.body.utf8)
      guard case .array(let writes)? = Self.member("writes", of: body) else { return (400, "{}") }
      for write in writes {
        let update = Self.member("update", of: write)
        guard case .string(let name)? = Self.member("name", of: update),
          case .object(var fields)? = Self.member("fields", of: update)
        else { continue }
        fields["at"] = ["timestampValue": "2026-01-28T09:00:00Z"]
        stored.withLock { $0[name] = .object(fields) }
      }
      let results = [JSONValue](repeating: .object(JSONObject()), count: writes.count)
      return (200, JSONValue.object(["writeResults": .array(results)]).description)
    }
    let path = request.path.removingPercentEncoding ?? ""
    let name = path.prefix { $0 != "?" }.replacing("/v1/", with: "", maxReplacements: 1)
    guard let fields = stored.withLock({ $0[String(name)] }) else {
      return (404, #"{"error":{"code":404,"status":"NOT_FOUND"}}"#)
    }
    return (200, JSONValue.object(["name": .string(String(name)), "fields": fields]).description)
  }

  private static func member(_ name: String, of value: JSONValue?) -> JSONValue? {
    if case .object(let object)? = value { object[name] } else { nil }
  }

  private static func tokens(_ user: String, _ provider: String) -> String {
    #"{"localId":"\#(user)","idToken":"\#(token(user, provider))","#
      + #""refreshToken":"refresh-\#(user)","expiresIn":"3600"}"#
  }

  private static func token(_ user: String, _ provider: String) -> String {
    let claims =
      #"{"sub":"\#(user)","aud":"diary","exp":4102444800,"firebase":"#
      + #"{"sign_in_provider":"\#(provider)"}}"#
    return "e30." + Data(claims.utf8).base64EncodedString().replacing("=", with: "") + ".s"
  }

  // MARK: - Connections

  private func accept() {
    while true {
      let connection = Foundation.accept(listener, nil, nil)
      if connection < 0 { break }
      Thread { [self] in
        while serve(connection) {}
        close(connection)
      }.start()
    }
    close(listener)
  }

  /// Answers one request, and returns false at the end of the connection.
  private func serve(_ connection: Int32) -> Bool {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var end: Int?
    var wanted = 0
    while end == nil || bytes.count < wanted {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return false }
      bytes += buffer[..<count]
      guard end == nil, let found = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      end = found.upperBound
      let head = String(decoding: bytes[..<found.upperBound], as: UTF8.self)
      let length = head.split(separator: "\r\n")
        .first { $0.lowercased().hasPrefix("content-length:") }?.split(separator: " ").last
      wanted = found.upperBound + (length.flatMap { Int($0) } ?? 0)
    }
    let line = String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self)
    let parts = line.split(separator: " ")
    let request = Request(
      path: parts.count > 1 ? String(parts[1]) : "",
      body: String(decoding: bytes[(end ?? 0)...], as: UTF8.self))
    requestsSoFar.withLock { $0.append(request) }
    let (status, body) = respond(request)
    let text = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    return text.withCString { Foundation.send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) > 0 }
  }
}
