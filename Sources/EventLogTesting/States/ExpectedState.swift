import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A state that a test expects.
public struct ExpectedState: Sendable {
  private enum Form: Sendable {
    case text(String)
    case file(String)
    case state(@Sendable () throws(EventLogError) -> Snapshot)
  }

  private let form: Form

  /// Returns a state in the JSON that `eventlog project --json` prints, or that
  /// `Snapshot.json(sections:)` returns.
  ///
  /// Sections that are left out aren't compared, so a test can contain a single section, such as
  /// `{"foods":[…]}`.
  ///
  /// - Parameter text: The JSON text.
  public static func json(_ text: String) -> ExpectedState { ExpectedState(form: .text(text)) }

  /// Returns a state in a file with the JSON that ``json(_:)`` takes.
  ///
  /// - Parameter url: The file URL.
  public static func file(_ url: URL) -> ExpectedState { ExpectedState(form: .file(url.path)) }

  /// Returns the state of another source, which is compared as a whole.
  ///
  /// - Parameter source: The source of the state.
  public static func state(of source: some StateSource & Sendable) -> ExpectedState {
    ExpectedState(
      form: .state { () throws(EventLogError) in try source.currentState() })
  }

  /// Reads the state as a table, and as a snapshot if it is one.
  func read(
    _ catalog: SchemaCatalog
  ) throws(EventLogError) -> (table: StateTable, state: Snapshot?) {
    switch form {
    case .state(let read):
      let state = try read()
      return (try StateTable(state, catalog), state)
    case .text(let text):
      return (try StateTable(json: Self.value(Array(text.utf8), ""), catalog), nil)
    case .file(let path):
      let bytes = try TemporaryFolder.contents(of: path)
      return (try StateTable(json: Self.value(bytes, " \"\(path)\""), catalog), nil)
    }
  }

  private static func value(_ bytes: [UInt8], _ name: String) throws(EventLogError) -> JSONValue {
    do throws(LineFault) {
      return try JSONValue(parsing: bytes)
    } catch {
      throw EventLogError(
        invalidInput: "The expected state\(name) is not JSON (byte \(error.byte)).",
        hint: "eventlog project --json prints one.")
    }
  }
}
