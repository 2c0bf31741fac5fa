import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogClouds

/// Syncs with WebDAV servers that have the quirks and faults of real ones.
@Suite struct WebDAVFaultTests {
  private let server = WebDAVServer()
  private let phone: TemporaryStore

  init() async throws {
    phone = try await TemporaryStore(device: "phone")
    try await append(1)
  }

  private func append(_ number: Int) async throws {
    _ = try await phone.store.append(
      [EventDraft(type: "note.created", data: ["number": .number(.init(Int64(number)))])],
      allowingUnknownTypes: true)
  }

  private func remote(_ transport: some HTTPTransport) -> ObjectRemote {
    ObjectRemote(TestedService.webDAV.storage(transport), random: .seeded(7))
  }

  private func replacing(
    _ method: String, _ response: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?
  ) -> ChangedTransport {
    ChangedTransport(server) { request in request.method == method ? await response(request) : nil }
  }

  private func failure(_ transport: some HTTPTransport) async throws -> EventLogError {
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.sync(with: remote(transport))
    }
    return try #require(error)
  }

  /// Checks that the folder contains the phone's events once, and nothing else.
  private func checkIsPushed(_ server: WebDAVServer? = nil) async throws {
    let server = server ?? self.server
    #expect(server.objects.keys.filter { $0.hasSuffix(".jsonl") }.count == 1)
    #expect(server.objects.keys.filter { $0.hasSuffix(".json") }.count == 1)
    #expect(server.objects.count == 2, "\(server.objects.keys.sorted())")
    let fresh = try await TemporaryStore(device: "fresh")
    #expect(try await fresh.store.sync(with: remote(server), .pull).pulledCount == 2)
  }

  // MARK: - Puts

  /// nginx responds with 500 to a `PUT` into a folder that doesn't exist.
  @Test func `a missing folder is created before the first file is put`() async throws {
    let transport = replacing("PUT") { [server] _ in
      server.exists ? nil : HTTPResponse(status: 500)
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
    #expect(transport.counter.value < 12)
  }

  @Test(arguments: [204, 400, 403, 405, 501])
  func `a moved file is read if the server doesn't support HEAD`(status: Int) async throws {
    let (heads, moves) = (CallCounter(), CallCounter())
    let transport = ChangedTransport(server) { request in
      if request.method == "MOVE" { _ = moves.next() }
      guard request.method == "HEAD" else { return nil }
      _ = heads.next()
      return HTTPResponse(status: status)
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
    #expect(heads.value == 1 && moves.value == 2)
  }

  @Test(arguments: [400, 403, 404, 405, 409, 501, 502])
  func `files are put under their final names if they can't be moved`(status: Int) async throws {
    let moves = CallCounter()
    let transport = replacing("MOVE") { _ in
      _ = moves.next()
      return HTTPResponse(status: status)
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
    #expect(moves.value == 1)
  }

  @Test(arguments: [400, 403, 404, 405, 409])
  func `files are put under their final names if temporary names are refused`(
    status: Int
  ) async throws {
    let transport = replacing("PUT") { request in
      request.url.hasSuffix(".tmp") ? HTTPResponse(status: status) : nil
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
  }

  @Test func `no temporary name begins with a dot`() async throws {
    let transport = replacing("PUT") { request in
      request.url.split(separator: "/").last?.hasPrefix(".") ?? true
        ? HTTPResponse(status: 403) : nil
    }
    let remote = remote(transport)
    #expect(try await phone.store.sync(with: remote).pushedCount == 2)
    try await checkIsPushed()
  }

  @Test(arguments: [403, 405, 409, 501])
  func `a refused put is reported with its status and method and leaves no file`(
    status: Int
  ) async throws {
    let transport = replacing("PUT") { _ in HTTPResponse(status: status) }
    let error = try await failure(transport)
    #expect(error.message.contains("\(status) to PUT"), "\(error)")
    #expect([.wrongAddress, .accessDenied].contains(error.code))
    #expect(transport.counter.value <= 16)
    #expect(server.objects.isEmpty)
  }

  @Test func `a move whose response is lost counts as done`() async throws {
    let moves = CallCounter()
    let transport = replacing("MOVE") { [server] request in
      guard moves.next() % 2 == 1 else { return nil }
      _ = try? await server.send(request)
      return HTTPResponse(status: 504)
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
  }

  @Test func `a file that a server moves into another folder is put again`() async throws {
    let transport = replacing("MOVE") { [server] request in
      var request = request
      request.method = "DELETE"
      _ = try? await server.send(request)
      return HTTPResponse(status: 201)
    }
    #expect(try await phone.store.sync(with: remote(transport)).pushedCount == 2)
    try await checkIsPushed()
  }

  @Test func `a put under an existing name changes nothing if conditions are ignored`() async throws
  {
    let server = WebDAVServer(listedPath: "/inside/ada/", supportsConditions: false)
    server.objects = ["name": [1]]
    let storage = TestedService.webDAV.storage(server)
    _ = try await storage.list(after: nil)
    #expect(try await !storage.put("name", [2]))
    #expect(try await storage.put("other", [2]))
    #expect(server.objects == ["name": [1], "other": [2]])
  }

  @Test func `a sync fails and leaves no file if the server reports all names as taken`()
    async throws
  {
    let transport = replacing("MOVE") { _ in HTTPResponse(status: 412) }
    let error = try await failure(transport)
    #expect(error.message.contains("says that every name is taken"))
    #expect(transport.counter.value <= 24)
    #expect(server.objects.isEmpty)
  }

  @Test func `a sync ends at once if the server asks to wait`() async throws {
    let transport = replacing("MOVE") { _ in
      HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "3600")])
    }
    let error = try await failure(transport)
    #expect(error.retryAfter == .seconds(3600))
    // Two listings, the creation of the folder between them, and the put and move of the file.
    #expect(transport.counter.value == 5)
  }

  // MARK: - Listings

  @Test func `the folder's own entry in a listing determines its path`() async throws {
    let server = WebDAVServer(listedPath: "/inside/ada/")
    #expect(try await phone.store.sync(with: remote(server)).pushedCount == 2)
    #expect(server.otherFolder.isEmpty)
    try await checkIsPushed(server)
    #expect(try await phone.store.sync(with: remote(server)).pushedCount == 0)
  }

  /// The two Unicode forms of one name.
  private static let forms = ["/Tageb%C3%BCcher/", "/Tagebu%CC%88cher/"]

  private static func storage(_ path: String, _ transport: some HTTPTransport) -> WebDAVStorage {
    WebDAVStorage(
      WebDAVLocation(url: "http://127.0.0.1:1\(path)")!, credentials: { nil },
      client: CloudClient(transport, sleep: { _ in }), random: .system)
  }

  @Test(arguments: forms, forms)
  func `a folder is used if its listing has another Unicode form`(
    requested: String, listed: String
  ) async throws {
    let server = WebDAVServer(path: requested, listedPath: listed)
    let moves = CallCounter()
    let transport = ChangedTransport(server) { request in
      if request.method == "MOVE" { _ = moves.next() }
      return nil
    }
    let remote = ObjectRemote(Self.storage(requested, transport), random: .seeded(7))
    #expect(try await phone.store.sync(with: remote).pushedCount == 2)
    let report = try await phone.store.sync(with: remote)
    #expect(report.pushed.isEmpty && report.notices.isEmpty)
    #expect(server.objects.count == 2 && server.objects.keys.allSatisfy { $0.hasPrefix("phone") })
    // The other Unicode form isn't taken for another folder.
    #expect(moves.value == 2 && server.otherFolder.isEmpty)
    let fresh = try await TemporaryStore(device: "fresh")
    #expect(try await fresh.store.sync(with: remote, .pull).pulledCount == 2)
  }

  /// Some servers repeat the folder's path as it was requested.
  @Test(arguments: forms, forms)
  func `the name of a file doesn't depend on the Unicode form of its folder`(
    requested: String, listed: String
  ) async throws {
    let length = "<d:getcontentlength>1</d:getcontentlength>"
    let listing = WebDAVServer.listing([
      WebDAVServer.folder(requested), WebDAVServer.entry(listed + "a%CC%88", length),
      WebDAVServer.entry(listed + "bad", ""),
    ])
    let storage = Self.storage(requested, ScriptedTransport { _ in listing })
    let names = try await storage.list(after: nil).map { Array($0.name.utf8) }
    #expect(names == [[0x61, 0xCC, 0x88]])
    #expect(storage.notices.first?.hasPrefix("\"bad\" in") == true, "\(storage.notices)")
  }

  private static let unknownFiles = [
    "has no length": WebDAVServer.entry("/ada/b", "<d:resourcetype/>"),
    "has the length \"ten\"": WebDAVServer.entry(
      "/ada/b", "<d:getcontentlength>ten</d:getcontentlength>"),
    "has only the status \"HTTP/1.1 404 Not Found\"":
      "<d:response><d:href>/ada/b</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>",
    "has a name that is not UTF-8": WebDAVServer.entry(
      "/ada/%FF", "<d:getcontentlength>1</d:getcontentlength>"),
    "is in another folder": WebDAVServer.entry(
      "/elsewhere/b", "<d:getcontentlength>1</d:getcontentlength>"),
  ]

  @Test(arguments: unknownFiles.keys.sorted())
  func `a foreign entry is skipped with a notice`(reason: String) async throws {
    let unknownFile = try #require(Self.unknownFiles[reason])
    let transport = ChangedTransport(server) { [server] request in
      guard request.method == "PROPFIND", var response = try? await server.send(request),
        response.status == 207
      else { return nil }
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(
        text.replacing("</d:multistatus>", with: unknownFile + "</d:multistatus>").utf8)
      return response
    }
    for count in [2, 0] {
      let report = try await phone.store.sync(with: remote(transport))
      #expect(Int(report.pushedCount) == count)
      #expect(report.notices.count == 1)
      #expect(report.notices.first?.contains("was left out, because it \(reason)") == true)
    }
    try await checkIsPushed()
  }

  @Test func `a first push is refused with the reason if the listing has no lengths`() async throws
  {
    let transport = ChangedTransport(server) { [server] request in
      guard request.method == "PROPFIND", var response = try? await server.send(request),
        response.status == 207
      else { return nil }
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(text.replacing("getcontentlength", with: "getsize").utf8)
      return response
    }
    let error = try await failure(transport)
    #expect(error.message.contains("does not list them"))
    #expect(error.message.contains("was left out, because it has no length"))
  }

  @Test func `subfolders and files without a type cause no notice`() async throws {
    let listing = WebDAVServer.listing([
      WebDAVServer.folder("/ada/"), WebDAVServer.folder("/ada/photos/"),
      WebDAVServer.entry("/ada/other/", ""),
      WebDAVServer.entry("/ada/a%20b", "<d:getcontentlength>7</d:getcontentlength>"),
    ])
    let storage = TestedService.webDAV.storage(ScriptedTransport { _ in listing })
    #expect(try await storage.list(after: nil) == [StoredObject(name: "a b", byteCount: 7)])
    #expect((storage as? any NoticingStorage)?.notices == [])
  }

  @Test func `a listing that can't be parsed is requested again`() async throws {
    let listings = CallCounter()
    let cut = HTTPResponse(status: 207, text: "<d:multistatus xmlns:d=\"DAV:\"><d:resp")
    let once = replacing("PROPFIND") { _ in listings.next() == 1 ? cut : nil }
    #expect(try await phone.store.sync(with: remote(once)).pushedCount == 2)
    let always = replacing("PROPFIND") { _ in cut }
    let error = try await failure(always)
    #expect(error.code == .remoteFailed && error.message.contains("makes no sense (207"))
    #expect(always.counter.value == 4)
  }

  @Test(arguments: [
    "which is not in the folder \"/ada/\"": WebDAVServer.listing([
      WebDAVServer.entry("/bob/a", "<d:getcontentlength>1</d:getcontentlength>")
    ]),
    "its listing doesn't contain the folder \"/ada/\"": WebDAVServer.listing([]),
    "it is a file, not a folder": WebDAVServer.listing([
      WebDAVServer.entry("/ada", "<d:getcontentlength>1</d:getcontentlength>")
    ]),
  ]) func `a listing of another folder or file is refused with the reason`(
    reason: String, listing: HTTPResponse
  ) async throws {
    let transport = ScriptedTransport { _ in listing }
    let error = try await failure(transport)
    #expect(error.message.contains(reason), "\(error)")
    #expect(error.hint != nil && transport.requestCount == 1)
  }

  // MARK: - Other responses

  private func listingFailure(_ response: HTTPResponse) async -> EventLogError? {
    let storage = TestedService.webDAV.storage(ScriptedTransport { _ in response })
    return await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
  }

  @Test func `an unsupported way to send passwords isn't reported as a wrong password`() async {
    let digest = HTTPHeader("WWW-Authenticate", "Digest realm=\"nas\", nonce=\"a\"")
    let basic = HTTPHeader("WWW-Authenticate", "Basic realm=\"nas\"")
    let only = await listingFailure(HTTPResponse(status: 401, headers: [digest]))
    #expect(only?.code == .wrongAddress && only?.hint?.contains("Basic") == true)
    let both = await listingFailure(HTTPResponse(status: 401, headers: [digest, basic]))
    #expect(both?.code == .signInNeeded)
  }

  @Test func `the error for a redirect contains its location without the query`() async {
    let location = HTTPHeader("Location", "https://cloud.example.org/dav/ada/?token=secret")
    let error = await listingFailure(HTTPResponse(status: 301, headers: [location]))
    #expect(error?.code == .wrongAddress)
    #expect(error?.message.contains("redirects to \"https://cloud.example.org/dav/ada/\"") == true)
    #expect(error?.hint?.contains("use davs://cloud.example.org/dav/ada.") == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test(arguments: [405, 501])
  func `a server without WebDAV is reported with the status and method`(status: Int) async {
    let error = await listingFailure(HTTPResponse(status: status))
    #expect(error?.message.contains("\(status) to PROPFIND") == true)
    #expect(error?.hint?.contains("takes no WebDAV requests") == true)
  }

  @Test func `a server without TLS is reported as a wrong address`() async {
    let fault = HTTPFault(curl: 35, "error:0A00010B:SSL routines::wrong version number")
    let storage = TestedService.webDAV.storage(StoredTransport([.failure(fault)]))
    let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    #expect(error?.code == .wrongAddress && error?.message.contains("does not speak TLS") == true)
  }
}
