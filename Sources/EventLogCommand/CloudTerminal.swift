import EventLog
import EventLogClouds

extension CloudEnvironment {
  /// The variables and files of the person at the terminal.
  static let ofTerminal = CloudEnvironment(
    variable: Terminal.environment,
    file: { path throws(EventLogError) in try privateText(path) })

  /// The text of a file that only its owner may read; nil where it is not there.
  private static func privateText(_ path: String) throws(EventLogError) -> String? {
    if Terminal.isMissing(path) { return nil }
    guard !Terminal.isReadableByOthers(path) else {
      throw EventLogError(
        .accessDenied,
        "\"\(Visible.text(path))\" contains secrets, and others can read it. It was not used.",
        hint: "Keep it to yourself: chmod 600 \(ShellWord.path(path))")
    }
    do throws(Errno) {
      let bytes = try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw .inputOutput("read", path, error)
    }
  }
}
