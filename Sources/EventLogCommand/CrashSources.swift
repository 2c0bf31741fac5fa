import EventLog
import EventLogClouds
import EventLogCrashReports
import EventLogPipe
import EventLogRemotes

/// Reads the reports at the places that the arguments name.
struct CrashSources {
  private let console: Console
  private let disk: any FileSystem
  /// The reports by ID: a report may be at several places.
  private var reports: [String: CrashReport] = [:]
  /// The numbers of objects that were left out, and that no note has counted yet.
  private var (foreignCount, newerCount) = (0, 0)

  init(_ console: Console) {
    self.console = console
    disk = SystemFileSystem()
  }

  /// Returns the reports of all places, the latest first.
  ///
  /// - Throws: `noJournal` if a place doesn't exist or has no reports; `notAJournal` for another
  ///   file; the errors of reading it.
  static func read(_ places: [String], _ console: Console) async throws -> [CrashReport] {
    var sources = CrashSources(console)
    for place in places { try await sources.read(place) }
    return sources.reports.values.sorted(by: CrashReport.isLater)
  }

  private mutating func read(_ text: String) async throws {
    let address = try SyncTarget.address(text, "crashes")
    switch address {
    case .service(let text):
      let storage = try CloudAddress(text).storage(.ofTerminal, isCanonical: true)
      if try await readObjects(of: storage) == 0 { try await pull(from: address) }
    case .machine: try await pull(from: address)
    case .journal(let path), .folder(let path):
      if Terminal.isMissing(path) {
        throw EventLogError(
          .noJournal, "There is nothing at \"\(Visible.text(text))\".", hint: "Check the path.")
      }
      try await Terminal.isFolder(path) ? readFolder(path) : readFile(path)
    }
  }

  private mutating func add(_ found: [CrashReport]) {
    for report in found { reports[report.id] = report }
  }

  /// Adds the report of an object, or counts the object if it isn't one.
  ///
  /// Every copy of the app contains the key of the place, so other programs can put objects there.
  /// These must not hide the reports, or replace one.
  ///
  /// - Returns: The number of reports that were added.
  private mutating func add(_ bytes: [UInt8], of name: String) -> Int {
    switch CrashReportFile.object(in: bytes, named: name) {
    case .report(let report):
      add([report])
      return 1
    case .newer: newerCount += 1
    case .foreign: foreignCount += 1
    }
    return 0
  }

  private mutating func noteOmittedObjects(in place: String) {
    defer { (foreignCount, newerCount) = (0, 0) }
    if foreignCount > 0 {
      let (verb, pronoun) = foreignCount == 1 ? ("isn't", "was") : ("aren't", "were")
      console.note(
        "Warning: \(place) contains \(plural(foreignCount, "object")) that \(verb) the report of"
          + " the name, and \(pronoun) left out.")
    }
    if newerCount > 0 {
      console.note(
        "Warning: \(place) contains \(plural(newerCount, "report")) of a later version of"
          + " Eventlog, which \(newerCount == 1 ? "was" : "were") left out. Update eventlog.")
    }
  }

  // MARK: - Files

  private mutating func readFile(_ path: String) throws {
    if path.hasSuffix(".jsonl") { return try readJournal(path) }
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try disk.contents(ofFile: path, maximumBytes: CrashReportFile.bytesMax)
    } catch {
      throw EventLogError.inputOutput("read", path, error, meaning: "No report was read.")
    }
    guard let found = try CrashReportFile.reports(in: bytes, at: path) else {
      throw EventLogError(
        .notAJournal, "\"\(Visible.text(path))\" contains no exported crash reports.",
        hint: "Name a folder or journal of crash reports, or a file that --export has written.",
        at: .init(file: path))
    }
    add(found)
  }

  private mutating func readJournal(_ path: String) throws {
    let read = try Journal(path: path, catalog: .crashReports).snapshot()
    console.warn(ofDamage: read.firstDamage, of: read.damageCount, in: path)
    console.warn(read.warnings, of: path)
    let found = CrashReport.all(in: read.snapshot)
    if found.unreadableCount > 0 {
      console.note(
        "Warning: \(path) contains \(plural(found.unreadableCount, "report")) of another form,"
          + " which \(found.unreadableCount == 1 ? "is" : "are") left out. A later version may"
          + " have written \(found.unreadableCount == 1 ? "it" : "them").")
    }
    add(found.reports)
  }

  // MARK: - Folders

  /// Reads a folder in which an app records, one with the parts of several users, or one part.
  private mutating func readFolder(_ path: String) async throws {
    let names: [String]
    do throws(Errno) { names = try disk.contents(of: path) } catch {
      throw EventLogError.inputOutput("read", path, error, meaning: "No report was read.")
    }
    let journals = names.filter { $0.hasSuffix(".jsonl") && isUser(String($0.dropLast(6))) }
    let parts = names.filter { isUser($0) && Terminal.isFolder(Path.join(path, $0)) }
    var count = 0
    for name in names where CrashReportFile.isReport(name) {
      count += try readObject(name, in: path)
    }
    noteOmittedObjects(in: path)
    for name in journals { try readJournal(Path.join(path, name)) }
    for name in parts { try await pull(from: .folder(path: Path.join(path, name))) }
    noteRecordings(in: path)
    if count > 0 || !(journals + parts).isEmpty || names.contains("Raw") { return }
    try await pull(from: .folder(path: path))
  }

  /// Reads a file that has the name of a report, and returns the number of reports that were added.
  private mutating func readObject(_ name: String, in folder: String) throws -> Int {
    let path = Path.join(folder, name)
    do throws(Errno) {
      return add(
        try disk.contents(ofFile: path, maximumBytes: CrashReportFile.objectBytesMax), of: name)
    } catch {
      switch error {
      // Another process has removed it since the folder was read.
      case .noSuchFile: break
      // A pipe, a folder, or a larger file.
      case .invalidArgument, .isDirectory, .fileTooLarge: foreignCount += 1
      default:
        throw EventLogError.inputOutput("read", path, error, meaning: "No report was shown.")
      }
      return 0
    }
  }

  private func isUser(_ name: String) -> Bool { CrashReport.isUser(name) }

  /// Notes recordings that only the app takes in.
  private func noteRecordings(in path: String) {
    let names = (try? disk.contents(of: Path.join(path, "Raw"))) ?? []
    let count = names.filter { $0.hasSuffix(".crash") }.count
    guard count > 0 else { return }
    console.note(
      "Note: \(path) also contains \(plural(count, "recording")), which the app takes in at its"
        + " next start.")
  }

  // MARK: - Places

  /// Reads the objects that are single reports, and returns the number of these reports.
  private mutating func readObjects(
    of storage: any ObjectStorage
  ) async throws(EventLogError) -> Int {
    var (count, last) = (0, String?.none)
    while true {
      let (objects, isLast) = try await storage.page(after: last)
      for object in objects where CrashReportFile.isReport(object.name) {
        if object.byteCount > Int64(CrashReportFile.objectBytesMax) {
          foreignCount += 1
        } else if let bytes = try await storage.read(object.name) {
          count += add(bytes, of: object.name)
        }
      }
      guard !isLast, let name = objects.last?.name else {
        noteOmittedObjects(in: storage.address)
        return count
      }
      last = name
    }
  }

  /// Fetches the events of a place into a temporary journal.
  private mutating func pull(from address: RemoteAddress) async throws {
    let folder = Path.join(
      Terminal.environment("TMPDIR") ?? "/tmp", "eventlog-\(RandomText.system.next(12))")
    do throws(Errno) { try disk.makeFolder(folder) } catch {
      throw EventLogError.inputOutput("create", folder, error, meaning: "No report was read.")
    }
    defer { try? disk.removeTree(folder) }
    let path = Path.join(folder, "reports.jsonl")
    let store = EventStore.unread(path: path, catalog: .crashReports)
    let report: SyncReport?
    do throws(EventLogError) {
      report = try await store.sync(with: try Verb.remote(address), .pull)
    } catch {
      // An empty place.
      guard error.code == .noJournal else { throw error }
      report = nil
    }
    try await store.close()
    guard let report, !Terminal.isMissing(path) else {
      throw EventLogError(
        .noJournal, "\"\(Visible.text(address.description))\" contains no crash reports.",
        hint: "Name the folder of the app, the part of a user, which begins with crash-, or the"
          + " folder of these parts.")
    }
    for notice in report.notices { console.note("Note: \(notice)") }
    try readJournal(path)
  }
}
