import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// Temporary files that interrupted puts leave in a folder of a WebDAV server.
@Suite struct WebDAVTemporaryFileTests {
  private static func entry(_ name: String, _ modified: String?) -> String {
    let time = modified.map { "<d:getlastmodified>\($0)</d:getlastmodified>" } ?? ""
    return "<d:response><d:href>/ada/\(name)</d:href><d:propstat><d:prop><d:resourcetype/>"
      + "<d:getcontentlength>1</d:getcontentlength>\(time)</d:prop></d:propstat></d:response>"
  }

  /// - Returns: The methods and names of the `DELETE` requests after the listing.
  private func requests(
    after entries: [String], date: String? = "Wed, 28 Jan 2026 09:00:00 GMT"
  ) async throws -> [String] {
    let listing = HTTPResponse(
      status: 207, headers: date.map { [HTTPHeader("Date", $0)] } ?? [],
      text: "<d:multistatus xmlns:d=\"DAV:\">\(entries.joined())</d:multistatus>")
    let noContent = HTTPResponse(status: 204)
    let transport = StoredTransport([.success(listing)] + (0..<40).map { _ in .success(noContent) })
    let storage = TestedService.webDAV.storage(
      ChangedTransport(transport) { $0.method == "GET" ? HTTPResponse(status: 200) : nil })
    #expect(try await storage.page(after: nil).objects.allSatisfy { !$0.name.hasPrefix(".") })
    for number in 1...2 { #expect(try await storage.put("name-\(number)", [1])) }
    return transport.requests.dropFirst().map { request in
      "\(request.method) \(request.url.split(separator: "/").last ?? "")"
    }
    .filter { $0.hasPrefix("DELETE") }
  }

  private static let old = "Tue, 27 Jan 2026 08:59:00 GMT"
  private static let name = "eventlog-abcdefgh234567yz.tmp"

  @Test func `a put removes temporary files older than a day, once`() async throws {
    let removed = try await requests(after: [
      Self.entry(Self.name, Self.old), Self.entry("name", Self.old),
    ])
    #expect(removed == ["DELETE \(Self.name)"])
  }

  @Test func `a put removes temporary files with names of earlier versions`() async throws {
    let removed = try await requests(after: [Self.entry(".\(Self.name)", Self.old)])
    #expect(removed == ["DELETE .\(Self.name)"])
  }

  @Test(arguments: [
    entry(name, "Tue, 27 Jan 2026 09:01:00 GMT"), entry(name, "Thu, 29 Jan 2026 09:01:00 GMT"),
    entry(name, nil), entry(name, "yesterday"), entry(".eventlog-abc.tmp", old),
    entry("eventlog-ABCDEFGH234567YZ.tmp", old),
    entry("eventlog-abcdefgh234567yz.tmp.jsonl", old),
    entry(".other.tmp", old), entry("eventlog-abc.tmp", old),
    entry("..eventlog-abcdefgh234567yz.tmp", old),
  ])
  func `a recent, undated or foreign temporary file stays`(entry: String) async throws {
    #expect(try await requests(after: [entry]).isEmpty)
  }

  @Test func `a put succeeds even if a temporary file can't be removed`() async throws {
    let listing = HTTPResponse(
      status: 207, headers: [HTTPHeader("Date", "Wed, 28 Jan 2026 09:00:00 GMT")],
      text:
        "<multistatus>\(Self.entry(Self.name, Self.old).replacing("d:", with: ""))</multistatus>")
    let responses = [listing, HTTPResponse(status: 403)] + TestedService.webDAV.stored
    let transport = StoredTransport(responses.map { .success($0) })
    let storage = TestedService.webDAV.storage(transport)
    #expect(try await storage.page(after: nil).objects.isEmpty)
    #expect(try await storage.put("name", [1]))
    #expect(transport.requests.map(\.method) == ["PROPFIND", "DELETE", "PUT", "MOVE", "HEAD"])
  }

  @Test func `no temporary file is removed if the server's time is unknown`() async throws {
    #expect(try await requests(after: [Self.entry(Self.name, Self.old)], date: nil).isEmpty)
    #expect(try await requests(after: [Self.entry(Self.name, Self.old)], date: "now").isEmpty)
  }
}
