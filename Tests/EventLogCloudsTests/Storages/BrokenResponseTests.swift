import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// Broken responses, for which every call throws the right error and uses bounded memory.
@Suite(.tags(.faults)) struct BrokenResponseTests {
  @Test(arguments: ["0", "2"]) func `a Firestore object with a wrong size is an error`(
    size: String
  ) async throws {
    let text = #"{"fields":{"bytes":{"bytesValue":"YQ=="},"size":{"integerValue":"\#(size)"},"#
    let transport = ScriptedTransport { _ in
      HTTPResponse(status: 200, text: text + #""parts":{"integerValue":"1"}}}"#)
    }
    let error = await #expect(throws: EventLogError.self) {
      try await TestedService.firestore.storage(transport).read("dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl")
    }
    #expect(error?.code == .remoteFailed)
    #expect(error?.message.contains("as long as it says") == true)
  }

  private enum Call: CaseIterable { case list, read, put, remove }

  @Test(arguments: TestedService.allCases) func `a broken response to any call is an error`(
    service: TestedService
  ) async throws {
    let other = try LoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { other.stop() }
    let broken = BrokenResponse.all(redirectingTo: other.url)
    #expect(broken.count >= 43)
    await withTaskGroup(of: Void.self) { group in
      for response in broken {
        group.addTask { await Self.check(response, service) }
      }
    }
    #expect(other.requests.isEmpty)
  }

  private static func check(_ response: BrokenResponse, _ service: TestedService) async {
    for call in Call.allCases {
      guard let server = try? LoopbackServer(response.reply) else {
        Issue.record("no server")
        return
      }
      defer { server.stop() }
      let storage = service.storage(ImpatientTransport(), server: "127.0.0.1:\(server.port)")
      let name: Comment = "\(response.name), \(call)"
      do throws(EventLogError) {
        switch call {
        case .list: _ = try await storage.page(after: nil)
        case .read:
          let bytes = try await storage.read("dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl")
          #expect(response.isWellFormed && service != .firestore && bytes != nil, name)
          continue
        case .put:
          _ = try await storage.put("dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl", [1, 2, 3])
        case .remove:
          // An empty response is enough to confirm a removal.
          try await storage.remove("dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl")
          let isEnough =
            response.isWellFormed || response.name == "no content"
            || response.name == "a part" && service == .s3
          #expect(isEnough && service != .firestore, name)
          continue
        }
        Issue.record("\(name): no error")
      } catch {
        #expect(error.code == response.code, "\(name): \(error)")
        #expect(error.hint != nil, name)
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, name)
        #expect(!"\(error)".contains("secret-word"), name)
      }
      // Allow for four requests, and the buffers of two sockets.
      #expect(server.sentCount < 4 * (ImpatientTransport.bodyBytes + 10 << 20), name)
    }
  }

  @Test(arguments: TestedService.allCases) func `a truncated response is an error`(
    service: TestedService
  ) async throws {
    let server = try LoopbackServer(.silence)
    defer { server.stop() }
    let storage = service.storage(ImpatientTransport(), server: "127.0.0.1:\(server.port)")
    let name = "dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl"
    for (isList, response) in [(true, service.listing(name)), (false, service.content("hello"))] {
      let head = "HTTP/1.1 \(response.status) OK\r\nContent-Length: \(response.body.count)\r\n\r\n"
      let bytes = Array(head.utf8) + response.body
      server.respond(with: .bytes([bytes]))
      if isList {
        #expect(try await storage.page(after: nil).objects.map(\.name) == [name])
      } else {
        #expect(try await storage.read(name) == Array("hello".utf8))
      }
      // Try the first, the last, and some lengths in between, or all of them with
      // `EVENTLOG_ROUNDS`.
      let step = StorageContractTests.isComplete ? 1 : 7
      for end in Set(stride(from: 0, to: bytes.count, by: step)).union([bytes.count - 1]) {
        server.respond(with: .bytes([Array(bytes[..<end])]))
        let error = await #expect(throws: EventLogError.self, "\(end)") {
          if isList { _ = try await storage.page(after: nil) }
          _ = try await storage.read(name)
        }
        #expect(error?.code == .remoteFailed, "\(end)")
      }
    }
  }

  // S3 and WebDAV skip these entries, because other programs may write there.
  @Test(arguments: ["-5", "99999999999999999999", "ten", ""])
  func `a Firestore listing with an invalid size is an error`(size: String) async {
    let response = TestedService.firestore.listing("a.jsonl", size: size)
    let storage = TestedService.firestore.storage(StoredTransport([.success(response)]))
    let error = await #expect(throws: EventLogError.self) { try await storage.page(after: nil) }
    #expect(error?.code == .remoteFailed)
    #expect(error?.message.contains("makes no sense") == true)
  }

  @Test(arguments: TestedService.allCases) func `a listing of another remote is an error`(
    service: TestedService
  ) async {
    let text = String(decoding: service.listing("a.jsonl").body, as: UTF8.self)
      .replacing("ada/", with: "bob/")
    let status = service == .webDAV ? 207 : 200
    let storage = service.storage(
      StoredTransport([.success(HTTPResponse(status: status, text: text))]))
    let error = await #expect(throws: EventLogError.self) { try await storage.page(after: nil) }
    let reason = service == .webDAV ? "which is not in the folder \"/ada/\"" : "makes no sense"
    #expect(error?.message.contains(reason) == true)
  }
}
