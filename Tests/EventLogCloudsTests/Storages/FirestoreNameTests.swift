import EventLog
import EventLogCollections
import EventLogErasure
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogClouds

/// The names that `Docs/firestore.rules` allows.
@Suite struct FirestoreNameTests {
  /// The patterns of the names of objects that hold events.
  private static func patterns() throws -> [String] {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    let rules = try String(contentsOf: url.appending(path: "Docs/firestore.rules"), encoding: .utf8)
    let section = try #require(rules.firstRange(of: "function isName()")).upperBound
    return rules[section...].components(separatedBy: "function isObject")[0]
      .matches(of: /matches\('([^']+)'\)/).map { String($0.output.1) }
  }

  private static func allows(_ name: String, _ patterns: [String]) throws -> Bool {
    try patterns.contains { try Regex($0).wholeMatch(in: name) != nil }
  }

  @Test func `the rules allow each name that a sync writes, also after an erasure`() async throws {
    let calls = InMemoryCloudKit()
    let remote = ObjectRemote(CloudKitStorage(calls, address: "cloudkit://a/b"))
    let phone = try await TemporaryStore(catalog: .standard)
    let walk = try #require(EntityID("habit/walk"))
    _ = try await phone.store.append([
      EventDraft(type: "habit.created", entity: walk, data: ["name": "Walk"])
    ])
    try await phone.sync(with: remote)
    let before = Set(calls.names)
    try await phone.store.erase(.entity(walk))
    try await phone.sync(with: remote)
    let names = before.union(calls.names)
    #expect(names.contains { $0.contains(".erased-") })
    #expect(names.contains { $0.contains("_frontier_") })
    let patterns = try Self.patterns()
    for name in names { #expect(try Self.allows(name, patterns), "\(name)") }
    #expect(try !Self.allows("note", patterns))
  }
}
