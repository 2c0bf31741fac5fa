import EventLog
import EventLogCollections
import EventLogImport
import EventLogTesting
import Foundation
import Testing

/// The sample of the page on importing compiles and behaves as described.
@Suite struct ImportingPageTests {
  @Test func `an app imports its defaults and removes the imported keys`() async throws {
    let phone = try await TemporaryStore(catalog: .bundled)
    let store = phone.store
    let path = SourceTree.top.appendingPathComponent("SampleLogs/Imports/App.plist").path
    let map = try #require(ImportMap.builtIn("settings"))
    var deleted: [String] = []
    func deleteFromDefaults(_ key: String) { deleted.append(key) }
    // Docs: begin
    let zone = TimeZone.current
    let importer = Importer(
      path: path, map: map,
      zone: ImportZone(name: zone.identifier) { Int64(zone.secondsFromGMT(for: Date($0))) })
    let report = try await importer.run(into: store)
    for key in report.removableKeys { deleteFromDefaults(key) }
    // Docs: end
    #expect(deleted.count == 12 && report.sync.newConflicts.count == 1)
  }
}
