import EventLog
import EventLogCollections
import EventLogImport
import EventLogInspection
import EventLogTesting

/// The files of another app on a disk in memory, and a journal to import them into.
struct ForeignImport {
  private let memory = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
  private let path: String
  private let files: [(path: String, bytes: [UInt8])]

  /// Writes one file.
  init(_ bytes: [UInt8], named path: String) throws {
    self.path = path
    files = [(path, bytes)]
    try memory.put(bytes, to: path)
  }

  /// Writes the files of a folder, except those whose paths the disk refuses.
  init(files contents: [(name: String, bytes: [UInt8])]) throws {
    path = "/Export"
    try memory.disk.makeFolder(path)
    var files: [(path: String, bytes: [UInt8])] = []
    for (name, bytes) in contents {
      var folder = path
      for part in name.split(separator: "/").dropLast() where part != ".." {
        folder = Path.join(folder, String(part))
        try? memory.disk.makeFolder(folder)
      }
      let file = Path.join(path, name)
      guard !name.contains(".."), (try? memory.disk.status(at: file)) == nil,
        (try? memory.put(bytes, to: file)) != nil
      else { continue }
      files.append((file, bytes))
    }
    self.files = files
  }

  /// Checks that an import writes what its plan reports or nothing, leaves a sound journal, and
  /// writes nothing if it is repeated.
  func check(by map: ImportMap) async throws {
    let importer = Importer(
      path: path, map: map, zone: ImportZone(offset: "+02:00"), fileSystem: memory.disk)
    let store = try await EventStore.open(
      path: MemoryJournal.path, options: memory.options(user: "ada"), catalog: .bundled)
    var plan: ImportReport?
    do throws(EventLogError) { plan = try await importer.run(into: store, dryRun: true) } catch {
      try error.checkIsOfImport()
    }
    try Finding.require(memory.bytes.isEmpty, "The plan of an import has written something.")
    let report: ImportReport
    do throws(EventLogError) { report = try await importer.run(into: store) } catch {
      try error.checkIsOfImport()
      try Finding.require(plan == nil, "What was planned is refused: \(error)")
      return try Finding.require(memory.bytes.isEmpty, "A refused import has written something.")
    }
    try Finding.require(
      report.eventCount == plan?.eventCount && report.remarks == plan?.remarks,
      "\(plan?.eventCount ?? -1) events were planned, \(report.eventCount) written.")
    try await checkJournal(store, plan?.eventCount ?? 0)
    let before = memory.filledBytes
    let secondReport = try await importer.run(into: store)
    try Finding.require(
      secondReport.eventCount == 0 && memory.filledBytes == before,
      "Repeated, the import has written.")
    try await store.close()
    for (path, bytes) in files {
      try Finding.require(
        try memory.disk.contents(ofFile: path, maximumBytes: 1 << 24) == bytes,
        "\(path) has changed.")
    }
  }

  private func checkJournal(_ store: EventStore, _ count: Int) async throws {
    if count == 0 { return try Finding.require(memory.bytes.isEmpty, "Nothing was written.") }
    let (report, state) = try memory.reading(by: .bundled).checkAgreement()
    let broken = [JournalProblem.Note.brokenRule, .unknownType].filter {
      report.noteCounts[$0] ?? 0 > 0
    }
    try Finding.require(
      report.problems.isEmpty && broken.isEmpty,
      "The import left \(report.problems) \(report.notes).")
    try Finding.require(
      state?.eventCount == count && state?.json() == store.snapshot.json(),
      "\(count) events were imported, \(state?.eventCount ?? 0) are there.")
  }
}

extension EventLogError {
  /// Checks that it reports content that can't be imported.
  func checkIsOfImport() throws(Finding) {
    try Finding.require(
      code == .invalidInput && !message.isEmpty && message.utf8.count < 10_000_000,
      "Unexpected: \(self)")
  }
}
