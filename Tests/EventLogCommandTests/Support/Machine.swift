import EventLogTesting
import Foundation

/// Capabilities of the machine that runs the tests.
///
/// Tests that need more are skipped.
enum Machine {
  /// Whether file permissions restrict this user, who then isn't the superuser.
  static let permissionsBind = trial { workplace in
    try workplace.write("shut", "x")
    return try workplace.shell("chmod 000 shut && cat shut").code != 0
  }

  /// Whether this user can mount a file system in a new namespace.
  static let mounts = trial { workplace in
    try workplace.shell(
      """
      mkdir small && unshare --user --map-root-user --mount \
      sh -c 'mount -t tmpfs -o size=64k none small && mount -o remount,ro small'
      """
    ).code == 0
  }

  static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  /// Whether headless Chromium can show a page.
  static let hasBrowser = trial { workplace in
    try workplace.shell("chromium --version").code == 0
  }

  /// Whether `script` can run a command on a terminal.
  static let hasTerminal = trial { workplace in
    try workplace.shell("script -qec 'test -t 1' /dev/null").code == 0
  }

  /// Whether a command can run as another user, whose number of threads can be limited.
  static let limitsThreads = trial { workplace in
    try workplace.shell(asPlainUser("$eventlog help > /dev/null")).code == 0
  }

  /// A shell line that runs `line` in bash as an unnamed user, with the command as `$eventlog`.
  static func asPlainUser(_ line: String) -> String {
    let path = BuiltProduct.path ?? "eventlog"
    return "chmod 755 . && eventlog='\(path)' setpriv --reuid=54321 --regid=54321 --clear-groups"
      + " bash -c '\(line)'"
  }

  private static func trial(_ body: (Workplace) throws -> Bool) -> Bool {
    (try? body(Workplace())) ?? false
  }
}
