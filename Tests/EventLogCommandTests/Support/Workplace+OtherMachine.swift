import Foundation

extension Workplace {
  /// Writes `ssh.sh`, which replaces ssh.
  ///
  /// Each host is the folder `far`, in which a shell runs the command, like after a login. The file
  /// `words` then contains the script's arguments, one per line.
  ///
  /// - Returns: The environment that uses the script.
  @discardableResult
  func writeOtherMachine() throws -> [String: String] {
    try write(
      "ssh.sh",
      """
      for word in "$@"; do echo "$word"; done > '\(file("words"))'
      while [ "$1" != "--" ]; do
        [ "$#" -gt 0 ] || exit 255
        shift
      done
      shift 2
      mkdir -p '\(file("far"))' && cd '\(file("far"))' && exec sh -c "$*"
      """)
    return ["EVENTLOG_SSH": "sh '\(file("ssh.sh"))'"]
  }

  /// Writes an executable shell script.
  func script(_ name: String, _ text: String) throws {
    try write(name, "#!/bin/sh\n\(text)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file(name))
  }
}
