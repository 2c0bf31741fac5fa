import EventLog
import Testing

/// An invalid or unexpected response from a server.
struct BrokenResponse: Sendable, CustomTestStringConvertible {
  let name: String
  let reply: LoopbackServer.Reply
  var code: EventLogError.Code
  /// Whether the response is valid HTTP, with a body that a read returns.
  var isWellFormed = false

  var testDescription: String { name }

  private init(
    _ name: String, _ reply: LoopbackServer.Reply,
    _ code: EventLogError.Code = .remoteFailed, isWellFormed: Bool = false
  ) {
    (self.name, self.reply, self.code, self.isWellFormed) = (name, reply, code, isWellFormed)
  }

  private init(
    _ name: String, _ text: String, _ code: EventLogError.Code = .remoteFailed,
    isWellFormed: Bool = false
  ) {
    self.init(name, .bytes([Array(text.utf8)]), code, isWellFormed: isWellFormed)
  }

  /// Creates a response with the status 200 and a body of the right length.
  private init(_ name: String, body: [UInt8], headers: String = "") {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n"
    self.init(name, .bytes([Array(head.utf8), body]), isWellFormed: true)
  }

  private static let mebibyte = [UInt8](repeating: 0x61, count: 1 << 20)
  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

  private static func hundredMebibytes(_ head: String, _ piece: [UInt8] = mebibyte)
    -> LoopbackServer.Reply
  {
    .bytes([Array(head.utf8)] + Array(repeating: piece, count: 100))
  }

  /// Returns all broken responses. Redirects lead to `location`.
  static func all(redirectingTo location: String) -> [BrokenResponse] {
    cut + lengths + tooLarge + slow + statuses(location) + bodies
  }

  private static let cut = [
    BrokenResponse("nothing", ""),
    BrokenResponse("half a version", "HTTP/1."),
    BrokenResponse("half a status", "HTTP/1.1 20"),
    BrokenResponse("a status alone", "HTTP/1.1 200 OK\r\n"),
    BrokenResponse("half a header", "HTTP/1.1 200 OK\r\nContent-Len"),
    BrokenResponse("a head without its end", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
    BrokenResponse("an interim answer alone", "HTTP/1.1 100 Continue\r\n\r\n"),
    BrokenResponse("half a body", head + "Content-Length: 10\r\n\r\nhello"),
    BrokenResponse("no body", head + "Content-Length: 10\r\n\r\n"),
  ]

  private static let lengths = [
    BrokenResponse("a negative length", head + "Content-Length: -5\r\n\r\nhello"),
    BrokenResponse("a length that is none", head + "Content-Length: five\r\n\r\nhello"),
    BrokenResponse(
      "a length beyond all numbers", head + "Content-Length: 99999999999999999999\r\n\r\nhello"),
    BrokenResponse(
      "two lengths", head + "Content-Length: 50\r\nContent-Length: 60\r\n\r\nhello"),
    BrokenResponse("a chunk whose size is none", chunked + "zz\r\nhello\r\n0\r\n\r\n"),
    BrokenResponse("a chunk of negative size", chunked + "-5\r\nhello\r\n0\r\n\r\n"),
    BrokenResponse("a chunk beyond all numbers", chunked + "fffffffffffffffff\r\nhello"),
    BrokenResponse("half a chunk", chunked + "5\r\nhel"),
    BrokenResponse("no last chunk", chunked + "5\r\nhello\r\n"),
    BrokenResponse("a chunk longer than its size", chunked + "3\r\nhello\r\n0\r\n\r\n"),
  ]

  private static let tooLarge = [
    BrokenResponse("100 MiB", hundredMebibytes(head + "Content-Length: 104857600\r\n\r\n")),
    BrokenResponse("100 MiB without a length", hundredMebibytes(head + "\r\n")),
    BrokenResponse(
      "100 MiB in chunks",
      hundredMebibytes(chunked, Array("100000\r\n".utf8) + mebibyte + Array("\r\n".utf8))),
    BrokenResponse("a head of 100 MiB", hundredMebibytes(head + "X-A: ")),
    BrokenResponse(
      "a head without an end", .endless(Array((head + "X-A: b\r\n").utf8), milliseconds: 0)),
    BrokenResponse(
      "interim answers without an end",
      .endless(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), milliseconds: 1)),
  ]

  private static let slow = [
    BrokenResponse("silence", .silence),
    BrokenResponse("a head that drips", .endless(Array("H".utf8), milliseconds: 100)),
    BrokenResponse(
      "a body that drips", .endless(Array((chunked + "1\r\na\r\n").utf8), milliseconds: 400)),
  ]

  private static func statuses(_ location: String) -> [BrokenResponse] {
    func redirect(_ status: Int, _ target: String) -> String {
      "HTTP/1.1 \(status) Go\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
    }
    return [
      BrokenResponse("a greeting of SSH", "SSH-2.0-OpenSSH_9.6\r\n"),
      BrokenResponse("a page without a head", "<html>hello</html>"),
      BrokenResponse("status 000", "HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n"),
      BrokenResponse("status 999", "HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"),
      BrokenResponse("another protocol", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n"),
      BrokenResponse("elsewhere", redirect(302, location), .wrongAddress),
      BrokenResponse("elsewhere for good", redirect(308, location), .wrongAddress),
      BrokenResponse("to a file", redirect(301, "file:///etc/passwd"), .wrongAddress),
      BrokenResponse("to itself", redirect(307, "/"), .wrongAddress),
      BrokenResponse("not modified", "HTTP/1.1 304 No\r\nContent-Length: 0\r\n\r\n", .wrongAddress),
      BrokenResponse("no content", "HTTP/1.1 204 No\r\n\r\n"),
      BrokenResponse("a part", "HTTP/1.1 206 Part\r\nContent-Length: 5\r\n\r\nhello"),
      BrokenResponse(
        "another password",
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        .signInNeeded),
    ]
  }

  private static let bodies = [
    BrokenResponse("an empty body", body: []),
    BrokenResponse("a page", body: Array("<!DOCTYPE html><html><p>Sign in</html>".utf8)),
    BrokenResponse("zeros", body: [UInt8](repeating: 0, count: 1000)),
    BrokenResponse("what is no text", body: [0xFF, 0xFE, 0x80, 0xC0]),
    BrokenResponse("what controls a terminal", body: Array("\u{1B}]0;gotcha\u{7}\u{202E}".utf8)),
    BrokenResponse(
      "another coding", body: [0x1F, 0x8B, 0x08, 0, 0], headers: "Content-Encoding: gzip\r\n"),
    BrokenResponse("deep lists", body: [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)),
    BrokenResponse(
      "deep elements", body: Array(String(repeating: "<a>", count: 1 << 18).utf8)),
    BrokenResponse(
      "declared entities",
      body: Array("<!DOCTYPE a [<!ENTITY b \"&c;&c;\">]><ListBucketResult>&b;".utf8)),
    BrokenResponse("an answer to something else", body: Array(#"{"status":"ok"}"#.utf8)),
  ]
}
