import EventLogCollections
import EventLogTesting

@testable import EventLog

extension Sandbox {
  func store(
    _ name: String = "ada.jsonl", on disk: (any FileSystem)? = nil, user: String? = "ada",
    wait: Int64 = 30_000
  ) -> EventStore {
    EventStore(
      path: folder.file(name), options: options(on: disk, user: user, wait: wait),
      catalog: .standard, projections: [])
  }

  func state(_ name: String = "ada.jsonl") throws -> Snapshot {
    try journal(name).snapshot().snapshot
  }
}

extension EventDraft {
  /// A draft of the standard types.
  static func of(
    _ type: String, _ entity: String? = nil, _ data: KeyValuePairs<String, JSONValue> = [:],
    ref: String? = nil
  ) -> EventDraft {
    EventDraft(
      type: type, entity: entity.map { EntityID($0)! },
      data: JSONObject(data.map { .init(name: $0.key, value: $0.value) }), ref: ref)
  }

  static let begin = EventDraft.of("habit.created", "habit/read", ["name": "Read"])
  static let advance = EventDraft.of(
    "completion.advanced", "habit/read", ["date": "2026-01-28", "by": 1])
  static func theme(_ name: JSONValue, ref: String? = nil) -> EventDraft {
    .of("settings.changed", nil, ["theme": name], ref: ref)
  }
}

/// The code of the error that `body` throws, or nil if it throws none.
func failureCode(
  _ body: () async throws(EventLogError) -> Void
) async -> EventLogError.Code? {
  await thrown(body)?.code
}

/// The error that `body` throws, or nil if it throws none.
func thrown(_ body: () async throws(EventLogError) -> Void) async -> EventLogError? {
  do throws(EventLogError) {
    try await body()
    return nil
  } catch {
    return error
  }
}
