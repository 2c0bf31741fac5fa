import EventLog
import EventLogClouds

extension CloudEnvironment {
  /// The environment variables and files of the user who runs the command.
  static let ofTerminal = CloudEnvironment(
    variable: Terminal.environment,
    file: { path throws(EventLogError) in
      try checkIsPrivate(path)
      return try text(of: path)
    },
    settings: { path throws(EventLogError) in try text(of: path) })

  /// - Throws: `accessDenied` for a file that others can read.
  private static func checkIsPrivate(_ path: String) throws(EventLogError) {
    guard !Terminal.isMissing(path), Terminal.isReadableByOthers(path) else { return }
    throw EventLogError(
      .accessDenied,
      "\"\(Visible.text(path))\" contains secrets, and others can read it. It was not used.",
      hint: "Keep it to yourself: chmod 600 \(ShellWord.path(path))")
  }

  /// Returns the file's text, or nil if the file doesn't exist.
  private static func text(of path: String) throws(EventLogError) -> String? {
    if Terminal.isMissing(path) { return nil }
    do throws(Errno) {
      let bytes = try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw .inputOutput("read", path, error)
    }
  }
}
