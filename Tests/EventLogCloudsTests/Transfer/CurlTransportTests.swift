import Testing

@testable import EventLogClouds

@Suite struct CurlTransportTests {
  private func send(
    _ server: LoopbackServer, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async -> Result<HTTPResponse, HTTPFault> {
    // Keep the default limits, because responses may be slow on a busy machine.
    var request = HTTPRequest("GET", server.url)
    change(&request)
    defer { server.stop() }
    do throws(HTTPFault) { return .success(try await CurlTransport().send(request)) } catch {
      return .failure(error)
    }
  }

  @Test func `a response has its status, headers and body`() async throws {
    let server = try LoopbackServer(
      "HTTP/1.1 207 Multi-Status\r\nContent-Length: 5\r\nX-One:  two words \r\n\r\nhello")
    let response = try await send(server).get()
    #expect(response.status == 207)
    #expect(response.header("x-one") == "two words")
    #expect(response.body == Array("hello".utf8))
  }

  @Test func `a request is sent with its own headers and no unexpected ones`() async throws {
    let server = try LoopbackServer("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
    _ = try await send(server) { request in
      request.method = "PUT"
      request.headers = [HTTPHeader("X-Empty", ""), HTTPHeader("X-Full", "a")]
      request.body = Array("abc".utf8)
    }.get()
    let lines = try #require(server.requests.first).split(separator: "\r\n").map(String.init)
    #expect(lines.first == "PUT / HTTP/1.1")
    #expect(
      Set(lines.dropFirst().map { $0.split(separator: ":")[0].lowercased() }).isSubset(of: [
        "host", "user-agent", "accept", "x-empty", "x-full", "content-length", "abc",
      ]))
    #expect(lines.contains("Content-Length: 3"))
  }

  @Test func `redirects aren't followed`() async throws {
    let other = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { other.stop() }
    let server = try LoopbackServer(
      "HTTP/1.1 302 Found\r\nLocation: \(other.url)\r\nContent-Length: 0\r\n\r\n")
    #expect(try await send(server).get().status == 302)
    #expect(other.requests.isEmpty)
  }

  @Test func `an interim response is skipped`() async throws {
    let server = try LoopbackServer(
      "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let response = try await send(server).get()
    #expect(response.status == 200)
    #expect(response.header("x-a") == nil)
  }

  @Test func `a truncated HTTP response is a fault`() async throws {
    let whole = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX-A: b\r\n\r\n{\"a\": 12}".utf8)
    for end in 0..<whole.count {
      let server = try LoopbackServer(.bytes([Array(whole[..<end])]))
      guard case .failure(let fault) = await send(server) else {
        Issue.record("cut after \(end) bytes")
        continue
      }
      switch fault {
      case .connectionLost, .malformed: break
      default: Issue.record("cut after \(end) bytes: \(fault)")
      }
    }
  }

  @Test func `a response longer than the limit is refused`() async throws {
    let mebibyte = [UInt8](repeating: 0x61, count: 1 << 20)
    let head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
    let long = try LoopbackServer(.bytes([head] + Array(repeating: mebibyte, count: 100)))
    #expect(await fault(of: send(long)) == .tooLarge)
    let longHead = try LoopbackServer(
      "HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: b\r\n", count: 20_000) + "\r\n")
    #expect(await fault(of: send(longHead)) == .tooLarge)
  }

  @Test func `a request to a silent or slow server ends by its deadlines`() async throws {
    func briefly(_ request: inout HTTPRequest) {
      (request.limits.idle, request.limits.total) = (.seconds(2), .seconds(3))
    }
    let silent = try LoopbackServer(.silence)
    #expect(await fault(of: send(silent, briefly)) == .timedOut)
    let slow = try LoopbackServer(.endless(Array("H".utf8), milliseconds: 100))
    #expect(await fault(of: send(slow, briefly)) != nil)
  }

  @Test func `a server that doesn't listen is unreachable`() async throws {
    let stopped = try LoopbackServer(.silence)
    stopped.stop()
    guard case .unreachable? = await fault(of: send(stopped)) else {
      Issue.record("not unreachable")
      return
    }
  }

  @Test func `the fault for an unreadable certificate file contains its path`() async throws {
    let server = try LoopbackServer(.silence)
    defer { server.stop() }
    let request = HTTPRequest("GET", server.url.replacing("http://", with: "https://"))
    let fault = await #expect(throws: HTTPFault.self) {
      try await CurlTransport(certificates: "/no/such/file.pem").send(request)
    }
    guard case .untrusted(let reason)? = fault, reason.contains("/no/such/file.pem") else {
      Issue.record("\(fault as Any)")
      return
    }
  }

  @Test(arguments: [
    "error:0A00010B:SSL routines::wrong version number",
    "gnutls_handshake() failed: An unexpected TLS packet was received.",
  ])
  func `a response without TLS isn't retried`(message: String) {
    #expect(HTTPFault(curl: 35, message) == .unencrypted(message))
    #expect(ResponseClass(HTTPFault(curl: 35, message)) == .misconfigured)
    #expect(
      HTTPFault(curl: 35, "Connection reset by peer") == .connectionLost("Connection reset by peer")
    )
  }

  @Test func `a request with a line break in a header isn't sent`() async throws {
    let server = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let result = await send(server) { $0.headers = [HTTPHeader("A", "b\r\nC: d")] }
    #expect(fault(of: result) == .invalidRequest)
    #expect(server.requests.isEmpty)
  }

  @Test func `canceling a request ends it`() async throws {
    let server = try LoopbackServer(.silence)
    defer { server.stop() }
    var request = HTTPRequest("GET", server.url)
    // On a busy machine, the cancellation may come late.
    (request.limits.idle, request.limits.total) = (.seconds(600), .seconds(600))
    let task = Task { [request] () -> HTTPFault? in
      do throws(HTTPFault) { _ = try await CurlTransport().send(request) } catch {
        return error
      }
      return nil
    }
    while server.requests.isEmpty { await Task.yield() }
    task.cancel()
    let fault = await task.value
    #expect(fault == .canceled, "\(fault as Any)")
  }

  private func fault(of result: Result<HTTPResponse, HTTPFault>) -> HTTPFault? {
    if case .failure(let fault) = result { fault } else { nil }
  }
}
