import Foundation

extension Workplace {
  /// Writes `ssh.sh`, which stands for ssh: every host is the folder `far`, and the command is run
  /// there by a shell, as a login there would. What it was told is in `words`, one in a line.
  ///
  /// - Returns: the environment in which it is used.
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

  /// Writes a program.
  func script(_ name: String, _ text: String) throws {
    try write(name, "#!/bin/sh\n\(text)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file(name))
  }
}
