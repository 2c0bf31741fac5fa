extension Workplace {
  /// Writes `ssh.sh`, which stands for ssh: every host is the folder `far`, and the command is run
  /// there by a shell, as a login there would.
  func writeOtherMachine() throws {
    try write(
      "ssh.sh",
      """
      while [ "$1" != "--" ]; do
        [ "$#" -gt 0 ] || exit 255
        shift
      done
      echo "$2" > '\(file("host"))'
      shift 2
      mkdir -p '\(file("far"))' && cd '\(file("far"))' && exec sh -c "$*"
      """)
  }
}
