import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// A folder of iCloud Drive on a Mac that has removed files to save space.
@Suite struct CloudDriveTests {
  private let folder: TemporaryFolder
  private let phone: TemporaryStore
  private let disk = SystemFileSystem()
  private var shared: FolderRemote { FolderRemote(path: folder.file("Shared")) }

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    try await phone.sync(with: shared)
  }

  /// Renames files as iCloud Drive does when their content is only in iCloud.
  private func evict(where isEvicted: (String) -> Bool) throws {
    for name in try disk.contents(of: shared.address) where isEvicted(name) {
      try disk.rename(
        "\(shared.address)/\(name)", to: "\(shared.address)/.\(name).icloud")
    }
  }

  @Test func `a sync reports a file that is still in iCloud`() async throws {
    try evict { $0.hasSuffix(".jsonl") }
    let tablet = try await TemporaryStore(records: Meal.self)
    let report = try await tablet.sync(with: shared, .pull)
    #expect(report.pulledCount == 0)
    #expect(
      report.notices.contains("1 file is still in iCloud in \"\(shared.address)\": download it."),
      "\(report.notices)")
  }

  @Test func `a sync refuses a folder whose files are all in iCloud`() async throws {
    try evict { _ in true }
    let before = try disk.contents(of: shared.address).sorted()
    for store in [phone, try await TemporaryStore(records: Meal.self)] {
      let error = await #expect(throws: EventLogError.self) { try await store.sync(with: shared) }
      #expect(error?.code == .remoteFailed)
      #expect(error?.message.contains("2 files are still in iCloud") == true, "\(error as Any)")
      #expect(error?.hint?.contains("download them") == true)
    }
    #expect(try disk.contents(of: shared.address).sorted() == before)
  }

  @Test func `a sync ignores other files that are still in iCloud`() async throws {
    let file = try disk.open("\(shared.address)/.photo.jpg.icloud", .createNew)
    disk.close(file)
    let report = try await phone.sync(with: shared)
    #expect(report.notices.isEmpty)
  }
}
