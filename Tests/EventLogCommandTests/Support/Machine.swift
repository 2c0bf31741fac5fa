import EventLogTesting
import Foundation

/// What the machine that runs the tests allows. A test that needs more is reported as skipped.
enum Machine {
  /// Whether a file that is closed to its owner cannot be read: not so for the superuser.
  static let permissionsBind = trial { place in
    try place.write("shut", "x")
    return try place.shell("chmod 000 shut && cat shut").code != 0
  }

  /// Whether a file system of one's own can be mounted in a namespace of one's own.
  static let mounts = trial { place in
    try place.shell(
      """
      mkdir small && unshare --user --map-root-user --mount \
      sh -c 'mount -t tmpfs -o size=64k none small && mount -o remount,ro small'
      """
    ).code == 0
  }

  static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  /// Whether a command can be run on a terminal that `script` makes.
  static let hasTerminal = trial { place in
    try place.shell("script -qec 'test -t 1' /dev/null").code == 0
  }

  /// Whether a command can be run as a user who may have few threads: the superuser may have all.
  static let limitsThreads = trial { place in
    try place.shell(asSomebody("$eventlog help > /dev/null")).code == 0
  }

  /// A line of shell in which a user without a name runs one in bash, with the command as
  /// `$eventlog`.
  static func asSomebody(_ line: String) -> String {
    let path = BuiltProduct.path ?? "eventlog"
    return "chmod 755 . && eventlog='\(path)' setpriv --reuid=54321 --regid=54321 --clear-groups"
      + " bash -c '\(line)'"
  }

  private static func trial(_ body: (Workplace) throws -> Bool) -> Bool {
    (try? body(Workplace())) ?? false
  }
}
