import CEventLogChecksum
import EventLog
import Testing

@testable import EventLogClouds

@Suite struct SigningTests {
  /// The examples of FIPS 180-4, and lengths around a block.
  @Test func `SHA-256 of published messages matches the published digests`() {
    let vectors = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (text, digest) in vectors {
      #expect(hexadecimal(SHA256.digest(Array(text.utf8))) == digest)
    }
  }

  @Test func `SHA-256 doesn't depend on how a message is divided`() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 300] {
      for cut in [0, 1, 64, count / 2, count] where cut <= count {
        var hash = SHA256()
        hash.add(Array(bytes[..<cut]))
        hash.add(Array(bytes[cut..<count]))
        #expect(hash.finish() == SHA256.digest(Array(bytes[..<count])))
      }
    }
  }

  @Test(.enabled(if: eventlog_sha256_has_hardware() != 0))
  func `SHA-256 is the same with and without the processor's instructions`() {
    var random = SplitMix64(seed: 1)
    let bytes = (0..<64 * 5).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for count in 0...5 {
      var states = [[UInt32]](repeating: [1, 2, 3, 4, 5, 6, 7, .max], count: 2)
      eventlog_sha256_add(&states[0], bytes, count)
      eventlog_sha256_add_hardware(&states[1], bytes, count)
      #expect(states[0] == states[1])
    }
  }

  /// RFC 4231, test cases 1, 2, 6.
  @Test func `HMAC of published messages matches the published codes`() {
    let vectors: [([UInt8], String, String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ]
    for (key, message, code) in vectors {
      #expect(hexadecimal(HMAC.code(Array(message.utf8), key: key)) == code)
    }
  }

  private static let example = RequestSignature(
    credentials: BucketCredentials(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", service: "s3")

  private func signature(_ request: HTTPRequest) throws -> String {
    let time = try #require(Timestamp("2013-05-24T00:00:00.000Z"))
    let signed = Self.example.sign(request, at: time)
    let header = try #require(signed.headers.last { $0.name == "Authorization" })
    return String(try #require(header.value.split(separator: "=").last))
  }

  /// The examples of Amazon S3's documentation of Signature Version 4.
  @Test func `signatures of requests match the published examples`() throws {
    let host = "https://examplebucket.s3.amazonaws.com"
    #expect(
      try signature(
        HTTPRequest(
          "GET", "\(host)/test.txt", headers: [HTTPHeader("Range", "bytes=0-9")]))
        == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(
      try signature(
        HTTPRequest(
          "PUT", "\(host)/test%24file.text",
          headers: [
            HTTPHeader("Date", "Fri, 24 May 2013 00:00:00 GMT"),
            HTTPHeader("x-amz-storage-class", "REDUCED_REDUNDANCY"),
          ], body: Array("Welcome to Amazon S3.".utf8)))
        == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    #expect(
      try signature(HTTPRequest("GET", "\(host)/?lifecycle"))
        == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      try signature(HTTPRequest("GET", "\(host)/?max-keys=2&prefix=J"))
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func `a request with the SHA-256 of its body gets the same signature`() throws {
    let body = Array("Welcome to Amazon S3.".utf8)
    let url = "https://examplebucket.s3.amazonaws.com/a"
    var hashed = HTTPRequest("PUT", url, body: body)
    hashed.headers = [RequestSignature.contentHeader(SHA256.digest(body))]
    #expect(try signature(hashed) == signature(HTTPRequest("PUT", url, body: body)))
  }

  @Test func `a cached signing key is used only for its own secret and scope`() {
    let keys = SigningKeys()
    for (secret, parts) in [
      ("one", ["20130524", "s3"]), ("one", ["20130525", "s3"]), ("two", ["20130525", "s3"]),
      ("two", ["20130525s3"]), ("one", ["20130524", "s3"]), ("\u{E9}", ["20130524"]),
      ("e\u{301}", ["20130524"]),
    ] {
      let key = SigningKeys().key(secret, parts)
      #expect(keys.key(secret, parts) == key && keys.key(secret, parts) == key)
    }
  }

  @Test func `a percent-encoded name decodes to the original`() {
    for text in ["a/b c", "100%", "a+b", "ä~-._", "\u{1F600}"] {
      let spelled = PercentEncoding.encode(text)
      #expect(spelled.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") })
      #expect(PercentEncoding.decode(spelled) == text)
    }
    #expect(PercentEncoding.encode("a/b", keeping: "/") == "a/b")
    for broken in ["%", "%4", "%zz", "%ff"] { #expect(PercentEncoding.decode(broken) == nil) }
  }
}
