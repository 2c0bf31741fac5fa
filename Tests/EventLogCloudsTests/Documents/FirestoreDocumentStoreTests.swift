import EventLog
import Testing

@testable import EventLogClouds

/// The requests to Firestore for documents, and the handling of its responses.
@Suite struct FirestoreDocumentStoreTests {
  private func store(_ transport: StoredTransport) -> FirestoreDocumentStore {
    FirestoreDocumentStore(
      FirestoreLocation(project: "demo", user: "ada"), token: { _ in "token" },
      client: CloudClient(transport, sleep: { _ in }))
  }

  private func response(_ status: Int, _ body: String) -> Result<HTTPResponse, HTTPFault> {
    .success(HTTPResponse(status: status, headers: [], body: Array(body.utf8)))
  }

  private func empty(after revision: String?) -> DocumentCommit {
    var commit = DocumentCommit(name: "seeds", after: revision)
    commit.texts = ["seeds": "{}"]
    return commit
  }

  private static let committed = #"{"writeResults":[{},{"updateTime":"2026-01-01T00:00:00.1Z"}]}"#
  private static let failed =
    #"{"error":{"code":400,"message":"version","status":"FAILED_PRECONDITION"}}"#

  @Test func `a commit changes documents and the publishing state under one condition`()
    async throws
  {
    let transport = StoredTransport([response(200, Self.committed), response(200, Self.committed)])
    let store = store(transport)
    let document = PublishedDocument(
      path: "a/b",
      fields: [
        "day": .timestamp(Timestamp("2026-03-01T00:00:00Z")!),
        "map": .json(["a": [1, .number(JSONNumber(trusted: "1.5")), "x", true, .null]]),
      ])
    var commit = DocumentCommit(name: "seeds", after: nil)
    (commit.written, commit.deleted) = ([document], ["a/c"])
    commit.texts = ["seeds": "{}", "seeds.3": "[]"]
    let revision = try await store.commit(commit)
    #expect(revision == "2026-01-01T00:00:00.1Z")
    _ = try await store.commit(empty(after: revision))
    let bodies = try transport.requests.map { try JSONValue(parsing: $0.body) }
    let base = "projects/demo/databases/(default)/documents"
    let expected: JSONValue = [
      "writes": [
        [
          "update": [
            "name": .string("\(base)/a/b"),
            "fields": [
              "day": ["timestampValue": "2026-03-01T00:00:00.000Z"],
              "map": [
                "mapValue": [
                  "fields": [
                    "a": [
                      "arrayValue": [
                        "values": [
                          ["integerValue": "1"],
                          ["doubleValue": .number(JSONNumber(trusted: "1.5"))],
                          ["stringValue": "x"],
                          ["booleanValue": true], ["nullValue": .null],
                        ]
                      ]
                    ]
                  ]
                ]
              ],
            ],
          ]
        ],
        ["delete": .string("\(base)/a/c")],
        [
          "update": [
            "name": .string("\(base)/users/ada/published/seeds.3"),
            "fields": ["text": ["stringValue": "[]"]],
          ]
        ],
        [
          "update": [
            "name": .string("\(base)/users/ada/published/seeds"),
            "fields": ["text": ["stringValue": "{}"]],
          ],
          "currentDocument": ["exists": false],
        ],
      ]
    ]
    #expect(bodies[0] == expected)
    guard case .array(let writes)? = bodies[1]["writes"] else { throw EventLogError(.usage, "") }
    #expect(writes[0]["currentDocument"] == ["updateTime": "2026-01-01T00:00:00.1Z"])
  }

  @Test func `a commit that requires an outdated revision returns nil`() async throws {
    for (status, body, revision) in [
      (400, Self.failed, "1"), (409, #"{"error":{"status":"ALREADY_EXISTS"}}"#, nil),
      (404, #"{"error":{"status":"NOT_FOUND"}}"#, "1"),
    ] {
      let store = store(StoredTransport([response(status, body)]))
      #expect(
        try await store.commit(empty(after: revision)) == nil)
    }
  }

  @Test(arguments: [
    (400, #"{"error":{"status":"INVALID_ARGUMENT"}}"#, EventLogError.Code.wrongAddress),
    (403, #"{"error":{"status":"PERMISSION_DENIED"}}"#, .accessDenied),
    (404, #"{"error":{"status":"NOT_FOUND"}}"#, .wrongAddress), (200, "<html>", .remoteFailed),
  ])
  func `an unexpected response to a commit is an error`(
    status: Int, body: String, code: EventLogError.Code
  ) async throws {
    let store = store(StoredTransport([response(status, body)]))
    let error = await #expect(throws: EventLogError.self) {
      try await store.commit(empty(after: nil))
    }
    #expect(error?.code == code)
  }

  @Test func `several texts are read in one request`() async throws {
    let base = "projects/demo/databases/(default)/documents/users/ada/published"
    let body = """
      [{"missing":"\(base)/seeds.2","readTime":"2026-01-01T00:00:00Z"},
       {"found":{"name":"\(base)/seeds","updateTime":"7","fields":{"text":{"stringValue":"{}"}}}}]
      """
    let transport = StoredTransport([response(200, body)])
    let texts = try await store(transport).texts(["seeds", "seeds.2"])
    #expect(texts.keys.sorted() == ["seeds"])
    #expect(texts["seeds"]?.text == "{}" && texts["seeds"]?.revision == "7")
    #expect(transport.requests.map(\.url).first?.hasSuffix("documents:batchGet") == true)
  }

  @Test(arguments: [
    "{}", "[]", #"[{"missing":"x"}]"#, #"[{"found":{"name":"x"}}]"#, "[{},{}]", "<html>",
  ])
  func `a response without the requested texts is an error`(body: String) async throws {
    let error = await #expect(throws: EventLogError.self) {
      try await store(StoredTransport([response(200, body)])).texts(["seeds"])
    }
    #expect(error?.code == .remoteFailed)
  }

  @Test func `a document that Firestore can't hold is refused before a request`() async throws {
    for value: JSONValue in [
      [[1]], .string(String(repeating: "x", count: 1 << 20)), ["": 1], ["__a__": 1],
      ["a": ["__b__": 1]], .number(JSONNumber(trusted: "1e999")), Self.deep(20),
      .object([String(repeating: "x", count: 1501): 1]),
    ] {
      let document = PublishedDocument(path: "a/b", fields: ["x": .json(value)])
      let error = #expect(throws: EventLogError.self) {
        try store(StoredTransport([])).byteCount(of: document)
      }
      #expect(error?.code == .invalidSchema && error?.message.contains("a/b") == true)
      let transport = StoredTransport([])
      var commit = empty(after: nil)
      commit.written = [document]
      await #expect(throws: EventLogError.self) { try await store(transport).commit(commit) }
      #expect(transport.requests.isEmpty)
    }
  }

  @Test func `a document within Firestore's limits is accepted`() throws {
    let store = store(StoredTransport([]))
    for value: JSONValue in [
      Self.deep(19), ["__a": 1, "a__": [1, ["b": [2]]]], .number(JSONNumber(trusted: "1e300")),
      .string(String(repeating: "x", count: 1_000_000)), .number(JSONNumber(trusted: "1e30")),
    ] {
      let document = PublishedDocument(path: "a/b", fields: ["x": .json(value)])
      #expect(try store.byteCount(of: document) > 0)
    }
  }

  /// Returns nested maps.
  private static func deep(_ count: Int) -> JSONValue {
    (0..<count).reduce(1) { value, _ in ["a": value] }
  }
}
