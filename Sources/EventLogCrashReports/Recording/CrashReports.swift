import CEventLogCrashReports
public import EventLog
import Synchronization

/// Records crashes and errors of this process.
///
/// Call ``start(in:app:breadcrumbs:handlesSignals:)`` once, as early as possible. Later starts of
/// the app take in what was recorded, with a ``CrashJournal`` of the same folder.
///
/// ```swift
/// try CrashReports.start(in: folder, app: "1.4.2", breadcrumbs: Step.self)
/// CrashReports.leave(Step.opened)
/// ```
///
/// A report contains no texts but the ones that your program's source contains. See
/// ``CrashReport``.
public enum CrashReports {
  /// The breadcrumbs' names, by type, to find the number of one.
  private static let names = Mutex<[String]>([])

  /// Starts recording into a new file in a folder.
  ///
  /// The file has 84 KiB, which are written now, so that a crash can be recorded on a full disk. If
  /// nothing is recorded, the next start removes it. Only the process's first call starts anything.
  ///
  /// A crash is recorded by a handler of the signals SEGV, BUS, ILL, ABRT, FPE and TRAP. It then
  /// lets the handler that was installed before handle the signal, so that the process ends as it
  /// would without it. If that handler returns and the process goes on, the report is taken back.
  /// If the program ignores a signal, only failing instructions are recorded. The calling thread
  /// gets an alternate stack: call ``prepareThread()`` on others.
  ///
  /// If 20 files were recorded and none could be taken in, nothing new is recorded: an app that
  /// crashes at each start doesn't fill the disk. The next file that is taken in notes how often.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder, which is created if its parent exists.
  ///   - app: The app's version, such as `1.4.2`. It has digits and dots, and may end in `-` or `+`
  ///     and at most 12 letters, digits and dots.
  ///   - breadcrumbs: The type of the app's breadcrumbs.
  ///   - handlesSignals: Whether to record crashes. Pass `false` if another library has a handler,
  ///     or if MetricKit's reports suffice. Errors are recorded in any case.
  /// - Throws: `invalidInput` for a version or breadcrumbs of another form; `usage` if the process
  ///   has started recording before; `inputOutput`. Nothing is recorded then.
  /// - Complexity: O(*n*), where *n* is the number of images that the process has loaded. It takes
  ///   about a millisecond.
  public static func start<Crumb: Breadcrumb>(
    in folder: String, app: String, breadcrumbs: Crumb.Type, handlesSignals: Bool = true
  ) throws(EventLogError) {
    let crumbs = Crumb.allCases.map { $0.rawValue }
    guard ReportTexts.app(app) != nil else {
      throw EventLogError(
        invalidInput: "Crash reports need the app's version, such as 1.4.2. Nothing is recorded.",
        hint: "Use digits and dots, with at most 12 letters after a - or +.")
    }
    guard crumbs.count <= RawLayout.namesMax, crumbs.allSatisfy({ ReportTexts.name($0) != nil })
    else {
      throw EventLogError(
        invalidInput: "The breadcrumbs can't be recorded. Nothing is recorded.",
        hint: "Declare at most 120, each with 1 to 32 of the characters a-z A-Z 0-9 . _ -")
    }
    let raw = RawFolder(path: RawFolder.path(in: folder), fileSystem: SystemFileSystem())
    try raw.create()
    guard let file = try raw.fileForRecording() else { return }
    var generator = SystemRandomNumberGenerator()
    do throws(Errno) {
      try SystemRecorder.start(
        path: file, session: generator.next(), app: app, breadcrumbs: crumbs,
        handlesSignals: handlesSignals)
    } catch {
      guard error != .alreadyStarted else {
        throw EventLogError(
          usage: "This process records crashes already. Nothing was changed.",
          hint: "Call CrashReports.start once, at the start of the app.")
      }
      throw .inputOutput("create", file, error, meaning: "Nothing is recorded.")
    }
    names.withLock { $0 = crumbs }
  }

  /// Starts recording into a new file in a folder, without breadcrumbs.
  ///
  /// See ``start(in:app:breadcrumbs:handlesSignals:)``.
  ///
  /// - Throws: The errors of ``start(in:app:breadcrumbs:handlesSignals:)``.
  public static func start(
    in folder: String, app: String, handlesSignals: Bool = true
  ) throws(EventLogError) {
    try start(
      in: folder, app: app, breadcrumbs: NoBreadcrumb.self, handlesSignals: handlesSignals)
  }

  /// Gives the calling thread an alternate stack of 256 KiB, so that an overflow of its own stack
  /// is recorded.
  ///
  /// The stack is freed when the thread ends. A thread that has an alternate stack keeps it.
  ///
  /// - Throws: `inputOutput` if the system provides no memory. A stack overflow of the thread then
  ///   ends the process without a report.
  public static func prepareThread() throws(EventLogError) {
    do throws(Errno) { try SystemRecorder.prepareThread() } catch {
      throw EventLogError(
        .inputOutput,
        "The thread got no alternate stack: \(error). An overflow of its stack isn't recorded.",
        cause: error)
    }
  }

  /// Remembers a step of the app.
  ///
  /// Reports list the last 20. The call writes nothing to the disk, and may be made on any thread.
  public static func leave(_ breadcrumb: some Breadcrumb) {
    let name = breadcrumb.rawValue
    guard let index = names.withLock({ $0.firstIndex(of: name) }) else { return }
    SystemRecorder.leave(UInt16(index))
  }

  /// Records an error that doesn't end the process, with the return addresses of the caller.
  ///
  /// The report contains the name of the error's type, but not its message or values. A process
  /// records eight errors, and then only counts. The report survives a crash of the process; after
  /// a power loss, it may be missing.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - severity: The severity. ``Severity/fatal`` is for errors after which the app ends itself.
  /// - Returns: False if nothing was recorded, because recording hasn't started or the disk failed.
  @discardableResult
  @inline(never)
  public static func record(_ error: any Error, severity: Severity = .error) -> Bool {
    // The recorder begins with the caller of the function that calls it.
    let name = ReportTexts.typeName(String(reflecting: type(of: error)))
    return eventlog_crash_record(name, severity.code) == 0
  }

  /// Lists images that were loaded since the start, such as plug-ins, so that their addresses are
  /// known in reports.
  ///
  /// ``record(_:severity:)`` and ``prepareThread()`` do so as well.
  public static func refreshImages() { SystemRecorder.refreshImages() }
}

private enum NoBreadcrumb: String, Breadcrumb {
  case none
}
