import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// An import of one file into a new journal.
struct TextImport {
  let phone: TemporaryStore
  let folder: TemporaryFolder
  let path: String

  init(_ bytes: some Sequence<UInt8>, named name: String = "a.csv") async throws {
    phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    folder = try TemporaryFolder()
    path = folder.file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  init(_ text: String, named name: String = "a.csv") async throws {
    try await self.init(text.utf8, named: name)
  }

  /// Imports the file, and checks that importing it again adds nothing.
  @discardableResult
  func run(
    _ map: String, zone: String? = nil, dates: DateOrder? = nil,
    decimalMark: DecimalMark? = nil
  ) async throws -> ImportReport {
    let importer = Importer(
      path: path, map: try ImportMap(parsing: map.utf8),
      zone: zone.flatMap { ImportZone(offset: $0) }, dates: dates, decimalMark: decimalMark)
    let report = try await importer.run(into: phone.store)
    let repeated = try await importer.run(into: phone.store)
    #expect(repeated.eventCount == 0)
    return report
  }

  /// Returns the error of an import, after checking that it wrote nothing.
  func refusal(_ map: String, zone: String? = nil, dates: DateOrder? = nil) async -> String {
    let error = await #expect(throws: EventLogError.self) {
      try await run(map, zone: zone, dates: dates)
    }
    #expect(error?.code == .invalidInput && !FileManager.default.fileExists(atPath: phone.path))
    return error?.message.replacingOccurrences(of: folder.path + "/", with: "") ?? ""
  }

  func values(_ kind: String, _ field: String) -> [JSONValue?] {
    phone.store.snapshot.entities(kind).map { $0[field] }
  }

  /// The values of a field as JSON.
  func texts(_ kind: String, _ field: String) -> [String?] {
    values(kind, field).map { $0?.text }
  }
}
