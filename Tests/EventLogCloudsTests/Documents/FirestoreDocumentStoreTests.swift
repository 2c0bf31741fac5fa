import EventLog
import Testing

@testable import EventLogClouds

/// What Firestore is told, and what its answers mean.
@Suite struct FirestoreDocumentStoreTests {
  private func store(_ transport: StoredTransport) -> FirestoreDocumentStore {
    FirestoreDocumentStore(
      FirestorePlace(project: "demo", user: "ada"), token: { _ in "token" },
      client: CloudClient(transport, sleep: { _ in }))
  }

  private func answer(_ status: Int, _ body: String) -> Result<HTTPAnswer, HTTPFault> {
    .success(HTTPAnswer(status: status, headers: [], body: Array(body.utf8)))
  }

  private static let done = #"{"writeResults":[{},{"updateTime":"2026-01-01T00:00:00.1Z"}]}"#
  private static let failed =
    #"{"error":{"code":400,"message":"version","status":"FAILED_PRECONDITION"}}"#

  @Test func `a commit changes documents and what was published under one condition`() async throws
  {
    let transport = StoredTransport([answer(200, Self.done), answer(200, Self.done)])
    let store = store(transport)
    let document = PublishedDocument(
      path: "a/b",
      fields: [
        "day": .timestamp(Timestamp("2026-03-01T00:00:00Z")!),
        "map": .json(["a": [1, .number(JSONNumber(trusted: "1.5")), "x", true, .null]]),
      ])
    let revision = try await store.commit(
      [document], deleting: ["a/c"], publishing: "{}", "seeds", after: nil)
    #expect(revision == "2026-01-01T00:00:00.1Z")
    _ = try await store.commit([], deleting: [], publishing: "{}", "seeds", after: revision)
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
            "name": .string("\(base)/users/ada/published/seeds"),
            "fields": ["state": ["stringValue": "{}"]],
          ],
          "currentDocument": ["exists": false],
        ],
      ]
    ]
    #expect(bodies[0] == expected)
    guard case .array(let writes)? = bodies[1]["writes"] else { throw EventLogError(.usage, "") }
    #expect(writes[0]["currentDocument"] == ["updateTime": "2026-01-01T00:00:00.1Z"])
  }

  @Test func `another revision is no error`() async throws {
    for (status, body, revision) in [
      (400, Self.failed, "1"), (409, #"{"error":{"status":"ALREADY_EXISTS"}}"#, nil),
      (404, #"{"error":{"status":"NOT_FOUND"}}"#, "1"),
    ] {
      let store = store(StoredTransport([answer(status, body)]))
      #expect(
        try await store.commit([], deleting: [], publishing: "", "a", after: revision) == nil)
    }
  }

  @Test(arguments: [
    (400, #"{"error":{"status":"INVALID_ARGUMENT"}}"#, EventLogError.Code.wrongPlace),
    (403, #"{"error":{"status":"PERMISSION_DENIED"}}"#, .accessDenied),
    (404, #"{"error":{"status":"NOT_FOUND"}}"#, .wrongPlace), (200, "<html>", .remoteFailed),
  ])
  func `other answers are errors`(status: Int, body: String, code: EventLogError.Code) async throws
  {
    let store = store(StoredTransport([answer(status, body)]))
    let error = await #expect(throws: EventLogError.self) {
      try await store.commit([], deleting: [], publishing: "", "a", after: nil)
    }
    #expect(error?.code == code)
  }

  @Test func `what Firestore cannot hold is refused before anything is sent`() async throws {
    let transport = StoredTransport([])
    for value: JSONValue in [[[1]], .string(String(repeating: "x", count: 1_100_000))] {
      let error = await #expect(throws: EventLogError.self) {
        try await store(transport).commit(
          [PublishedDocument(path: "a/b", fields: ["x": .json(value)])], deleting: [],
          publishing: "", "a", after: nil)
      }
      #expect(error?.code == .invalidSchema)
    }
    #expect(transport.requests.isEmpty)
  }
}
