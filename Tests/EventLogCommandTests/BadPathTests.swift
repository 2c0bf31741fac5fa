import EventLog
import EventLogTesting
import Foundation
import Testing

/// Paths that are unsuitable for a verb.
@Suite struct BadPathTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device laptop habit.created read name=Read
      laptop-aaaaaaa2:2  habit/read
      """)
  }

  @Test(arguments: ["ada.eventlog", "ada.eventlog/cache", "./ada.eventlog/"])
  func `a journal's side folder is refused as a shared folder`(folder: String) throws {
    let workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada settings.changed x=1 > out
      $ ls -R ada.eventlog > before
      $ eventlog sync ada.jsonl \(folder) 2>&1 | grep -c 'belongs to a journal and may be deleted'
      1
      $ ls -R ada.eventlog | diff before -
      """)
  }

  @Test(arguments: ["replay", "project", "verify", "status"])
  func `errors distinguish a missing file, a folder and a device`(verb: String) throws {
    try workplace.follow(
      """
      $ eventlog \(verb) missing.jsonl
      ! Error: There is no journal at "missing.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      $ eventlog \(verb) no/such/folder.jsonl
      ! Error: There is no journal at "no/such/folder.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      $ eventlog \(verb) .
      ! Error: Could not read ".": Is a directory. Nothing was changed.
      ! Hint: A journal is a file, usually named <user>.jsonl.
      ? 2
      $ eventlog \(verb) /dev/null
      ! Error: Could not read "/dev/null": it is a device or a pipe. Nothing was changed.
      ! Hint: A journal is a file, usually named <user>.jsonl.
      ? 2
      $ eventlog \(verb)
      ! Error: eventlog \(verb) needs the path of a journal.
      ! Hint: eventlog help \(verb) shows its usage.
      ? 2
      """)
  }

  @Test func `a shared folder in a missing folder isn't created`() throws {
    let run = try workplace.eventlog("sync", "ada.jsonl", "no/such/Shared")
    let parent = "\(workplace.path)/no/such"
    #expect(run.code == 2)
    #expect(
      run.errorText == """
        Error: The folder "\(parent)/Shared" does not exist, nor does the folder around it. \
        Nothing was changed.
        Hint: Check the path, or create the folder "\(parent)" first.

        """)
  }

  @Test func `an append into a folder or through a file is refused`() throws {
    try workplace.follow(
      """
      $ eventlog append . --user ada habit.created write
      ! Error: Could not read ".": Is a directory. Nothing was changed.
      ! Hint: A journal is a file, usually named <user>.jsonl.
      ? 2
      $ eventlog append ada.jsonl/new.jsonl --user ada habit.created write
      ! Error: Could not read "ada.jsonl/new.jsonl": Not a directory. Nothing was changed.
      ? 2
      $ eventlog project ada.jsonl --at 2026-11-21
      ! Error: --at takes a time or an event ID, and "2026-11-21" is neither.
      ! Hint: For the end of that day in UTC, use --at 2026-11-21T23:59:59Z.
      ? 2
      $ eventlog append no/such.jsonl --user ada habit.created write
      ! Error: The folder of the journal "no/such.jsonl" does not exist.
      ! Hint: Create the folder first.
      ? 2
      $ eventlog sync no/such.jsonl ada.jsonl
      ! Error: The folder of the journal "no/such.jsonl" does not exist.
      ! Hint: Create the folder first.
      ? 2
      """)
  }

  @Test(.enabled(if: Machine.permissionsBind, "permissions do not bind this user"))
  func `an unreadable file and a read-only folder are refused`() throws {
    try workplace.follow(
      """
      $ chmod 000 ada.jsonl && eventlog project ada.jsonl
      ! Error: Could not read "ada.jsonl": Permission denied. Nothing was changed.
      ! Hint: Check who may use that file and its folder: their owner can change that with chmod.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name=x
      ! Error: Could not read "ada.jsonl": Permission denied. Nothing was changed.
      ! Hint: Check who may use that file and its folder: their owner can change that with chmod.
      ? 2
      $ chmod 600 ada.jsonl && eventlog verify ada.jsonl > verified
      $ mkdir shut && chmod 500 shut && eventlog append shut/new.jsonl --user ada habit.created x
      ! Error: Could not write to "shut/new.jsonl": Permission denied. Nothing was changed.
      ! Hint: Check who may use that file and its folder: their owner can change that with chmod.
      ? 2
      """)
  }

  @Test(.enabled(if: Machine.limitsThreads, "no other user can be taken on here"))
  func `a journal that only another user can write can still be pulled from`() throws {
    let made = try workplace.shell(
      "mkdir own closed && cp ada.jsonl own/ && cp ada.jsonl closed/ && chmod -R a+rwX own"
        + " && chmod -R a+rX closed")
    try #require(made.code == 0, "\(made.errorText)")
    func hint(_ arguments: String) throws -> String {
      let run = try workplace.shell(Machine.asPlainUser("$eventlog \(arguments)"))
      #expect(run.code == 2, "\(arguments)")
      return run.errorText.split(separator: "\n").last.map(String.init) ?? ""
    }
    let appended = try workplace.shell(
      Machine.asPlainUser("$eventlog append own/ada.jsonl habit.created write"))
    try #require(appended.code == 0, "\(appended.errorText)")
    let closed =
      "Hint: Check who may use that file and its folder: their owner can change that with chmod."
    for arguments in [
      "sync closed/new.jsonl own/ada.jsonl", "sync closed/new.jsonl own/ada.jsonl --pull",
      "sync own/ada.jsonl closed/new.jsonl", "sync own/ada.jsonl closed/Shared",
    ] {
      #expect(try hint(arguments) == closed, "\(arguments)")
    }
    let pull = "Hint: You can still pull from it: eventlog sync"
    #expect(
      try hint("sync own/ada.jsonl closed/ada.jsonl")
        == "\(pull) own/ada.jsonl closed/ada.jsonl --pull")
    #expect(
      try hint("sync closed/ada.jsonl own/ada.jsonl") == "\(pull) OTHER closed/ada.jsonl --pull")
    _ = try workplace.shell(Machine.asPlainUser("chmod 000 own/ada.eventlog"))
    #expect(try hint("status own/ada.jsonl") == closed)
    #expect(
      try workplace.shell(Machine.asPlainUser("$eventlog status own/ada.jsonl")).errorText.contains(
        "Permission denied. A status needs it, to name the device that writes here."))
    _ = try workplace.shell(Machine.asPlainUser("chmod 700 own/ada.eventlog"))
  }

  @Test(.enabled(if: Machine.mounts, "no file system can be mounted here without privileges"))
  func `a full disk and a read-only one leave the journal unchanged`() throws {
    let filling = String(repeating: "x", count: 100_000)
    try workplace.write(
      "disk.sh",
      """
      mkdir small && mount -t tmpfs -o size=64k none small
      eventlog append small/ada.jsonl --user ada --device laptop habit.created read
      cp small/ada.jsonl before
      eventlog append small/ada.jsonl habit.edited read question=\(filling)
      echo $?
      cmp small/ada.jsonl before
      mount -o remount,ro small
      eventlog append small/ada.jsonl habit.edited read name=x
      echo $?
      eventlog append small/new.jsonl --user ada habit.created read
      echo $?
      cmp small/ada.jsonl before
      eventlog status small/ada.jsonl | grep '^events'
      """)
    try workplace.follow(
      """
      $ unshare --user --map-root-user --mount sh disk.sh 2>&1
      laptop-aaaaaaa2:2  habit/read
      Error: Could not append to "small/ada.jsonl": No space left on device. Nothing was \
      appended; the journal is unchanged.
      Hint: Free some disk space, then append again.
      2
      Error: Could not write to "small/ada.jsonl": Read-only file system. Nothing was changed.
      2
      Error: Could not write to "small/new.jsonl": Read-only file system. Nothing was changed.
      2
      events     2
      """)
  }

  @Test(.enabled(if: Machine.hasFullDevice, "there is no /dev/full here"))
  func `a result that can't be written is an error`() throws {
    try workplace.follow(
      """
      $ eventlog project ada.jsonl > /dev/full
      ! Error: Could not write the result: No space left on device.
      ? 2
      $ eventlog project ada.jsonl --json > /dev/full
      ! {"error":{"code":"inputOutput","message":"Could not write the result: No space left on \
      device."}}
      ? 2
      """)
  }

  @Test func `a lock that isn't released is reported after a limited wait`() throws {
    // This process holds the lock, in place of another program.
    let system = SystemFileSystem()
    let file = try system.open(workplace.file("ada.jsonl"), .readWrite)
    defer { system.close(file) }
    try #expect(system.tryLock(file, exclusive: true))
    let before = try workplace.read("ada.jsonl")
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.edited read name=x
      ! Error: Another process has held the lock on "ada.jsonl" for 5000 ms. Nothing was appended.
      ! Hint: Find the process that holds it (for example with lsof) or try again.
      ? 2
      $ eventlog project ada.jsonl habits
      Habits
        key   name  goal  schedule  last completed  streak
        read  Read  1     1/1       never           0
      """)
    try #expect(workplace.read("ada.jsonl") == before)
    try system.unlock(file)
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.edited read name=x
      laptop-aaaaaaa2:3  habit/read
      """)
  }
}
