import EventLog
import Foundation
import Testing

@testable import EventLogCommand

/// `sync` reports exactly the remotes, events and files that exist, are missing, or were created.
@Suite struct SyncReportingTests {
  private let workplace: Workplace

  /// Makes a journal `a.jsonl` with two events, and `b.jsonl` of a second device with two more.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync b.jsonl a.jsonl > made
      ! Note: b.jsonl is new; it was created from the received events.
      $ eventlog sync b.jsonl a.jsonl --forget
      ! Forgot a.jsonl.
      $ eventlog append b.jsonl --device tablet settings.changed theme=dark > id
      """)
  }

  private func json(_ arguments: String...) throws -> [String: JSONValue] {
    let run = try workplace.eventlog(arguments + ["--json"])
    guard case .object(let object) = try JSONValue(parsing: run.output) else { return [:] }
    return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  private func count(_ value: JSONValue?) -> Int? {
    if case .array(let values)? = value { values.count } else { nil }
  }

  // MARK: - Late files

  @Test func `a late file is reported as pending, not as agreement`() throws {
    try workplace.follow(
      """
      $ mkdir Shared && eventlog sync a.jsonl Shared > out && eventlog sync b.jsonl Shared > out
      $ eventlog append a.jsonl settings.changed font=big > id && eventlog sync a.jsonl Shared > out
      $ mkdir Late && mv Shared/phone-*_3-3_*.jsonl Late/
      $ eventlog sync b.jsonl Shared 2> notes
      b.jsonl and Shared
        nothing was transferred
      $ sed 's/phone-[a-z2-7]*/phone/' notes
      Note: Shared lists phone:3, which cannot be received yet. Sync again later. What was \
      lost on the way is restored when a device that has it syncs.
      $ eventlog sync b.jsonl Shared --plan --check > out 2> notes
      ? 1
      $ eventlog sync b.jsonl Shared --json > json
      $ grep -o '"pending":.{"chain":"[0-9a-f]*","device":"phone' json | sort -u > found
      $ sed 's/:"[0-9a-f]*"/:"…"/' found
      "pending":[{"chain":"…","device":"phone
      $ eventlog sync c.jsonl Shared 2> notes | sed 's/(phone|tablet)-[a-z2-7]*/device/' > out
      $ grep 'is new' notes
      Note: c.jsonl is new; it was created from the events received so far.
      $ mv Late/* Shared/ && eventlog sync b.jsonl Shared | sed 's/phone-[a-z2-7]*/phone/'
      b.jsonl and Shared
        pulled  1 event  phone:3
      """)
  }

  @Test func `a new journal isn't created if no events have arrived`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl Shared > out 2> notes && rm Shared/*.jsonl
      $ eventlog sync new.jsonl Shared > out 2> notes
      ? 2
      $ sed 's/phone-[a-z2-7]*/phone/' notes
      Note: Shared lists phone:1–2, which cannot be received yet. Sync again later. What was \
      lost on the way is restored when a device that has it syncs.
      Error: No events were received, so new.jsonl was not created.
      Hint: Run it again when the listed events can be received.
      $ ls -d new* 2> /dev/null | wc -l
      0
      """)
  }

  // MARK: - Directions

  @Test func `a sync in one direction reports the pending events of the other`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl --push
      a.jsonl and b.jsonl: nothing to push; 2 events to pull.
      $ eventlog sync b.jsonl a.jsonl --pull --plan
      b.jsonl and a.jsonl: nothing to pull; 2 events to push.
      $ eventlog sync a.jsonl b.jsonl --pull | sed 's/tablet-[a-z2-7]*/tablet/'
      a.jsonl and b.jsonl
        pulled  2 events  tablet:1–2
      $ eventlog sync a.jsonl b.jsonl --push
      a.jsonl and b.jsonl contain the same events.
      """)
  }

  @Test func `a pull from a missing remote fails, and an empty push doesn't create it`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl none.jsonl --pull
      ! Error: There is nothing at "none.jsonl" to pull from. Nothing was changed.
      ! Hint: Check the path.
      ? 2
      $ eventlog sync a.jsonl None --pull > out 2> notes
      ? 2
      $ eventlog sync nope.jsonl a.jsonl --push
      ! Error: There is no journal at "nope.jsonl" to push from.
      ! Hint: Check the path.
      ? 2
      $ eventlog sync nope.jsonl
      ! Error: There is no journal at "nope.jsonl".
      ! Hint: Check the path. eventlog sync nope.jsonl REMOTE creates it from a remote.
      ? 2
      $ ls; eventlog status a.jsonl | grep -c ' synced at '
      a.eventlog
      a.jsonl
      b.eventlog
      b.jsonl
      id
      made
      notes
      out
      0
      ? 1
      """)
  }

  // MARK: - Partial failures

  @Test func `an error after other remotes succeeded states that their events are kept`() throws {
    try workplace.follow(
      """
      $ mkfifo pipe.jsonl && eventlog sync a.jsonl pipe.jsonl b.jsonl > out 2> notes
      ? 2
      $ sed "s#$PWD/##g" notes
      Could not sync with pipe.jsonl: Could not write to "pipe.jsonl": it is a device or a pipe. \
      Nothing was changed.
      Error: Could not write to "pipe.jsonl": it is a device or a pipe. Events exchanged \
      with other remotes are kept.
      Hint: A journal is a file, usually named <user>.jsonl.
      """)
  }

  @Test func `an unreadable list of remotes is an error, not an empty list`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl > out 2>&1
      $ mv a.eventlog/remotes.json kept && ln -s remotes.json a.eventlog/remotes.json
      $ for words in "status a.jsonl" "sync a.jsonl" "repair a.jsonl" "sync a.jsonl --forget"
      > do eventlog $words; echo $?; done
      ! Error: Could not read "a.eventlog/remotes.json": Too many levels of symbolic links. \
      Nothing was changed.
      ! Error: Could not read "a.eventlog/remotes.json": Too many levels of symbolic links. \
      Nothing was changed.
      ! Error: Could not read "a.eventlog/remotes.json": Too many levels of symbolic links. \
      Nothing was changed.
      ! Error: Could not read "a.eventlog/remotes.json": Too many levels of symbolic links. \
      Nothing was changed.
      2
      2
      2
      2
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ mv kept a.eventlog/remotes.json && eventlog status a.jsonl | grep -c 'b.jsonl  synced at '
      1
      """)
  }

  // MARK: - New and missing remotes

  @Test func `a new remote is noted, and a missing one isn't created again`() throws {
    try workplace.follow(
      """
      $ mkdir stick && eventlog sync a.jsonl stick/Shared > out
      ! Note: stick/Shared is a new folder; it was created with 2 events.
      $ eventlog sync a.jsonl stick/far.jsonl > out
      ! Note: stick/far.jsonl is new; it was created with 2 events.
      $ mv stick kept && eventlog sync a.jsonl 2>&1 > out | sed "s#$PWD/##g" | head -2
      Could not sync with stick/Shared: "stick/Shared" is a remembered remote, but it is \
      not there. Nothing was changed there.
      Could not sync with stick/far.jsonl: "stick/far.jsonl" is a remembered remote, but \
      it is not there. Nothing was changed there.
      $ mkdir -p stick/Shared && eventlog sync a.jsonl > out 2> notes
      ? 2
      $ sed "s#$PWD/##g" notes | grep -v '^Could'
      Error: "stick/Shared" is a remembered remote, but it no longer contains any events. Nothing \
      was changed there.
      Hint: Mount it or bring it back, or create it again: eventlog sync a.jsonl stick/Shared. To \
      forget it: eventlog sync a.jsonl stick/Shared --forget
      $ find stick -type f | wc -l
      0
      $ eventlog sync a.jsonl --plan > out 2> notes
      ? 2
      $ eventlog sync a.jsonl stick/Shared > out && ls stick/Shared | wc -l
      2
      """)
  }

  @Test func `one path is one remote for all its spellings`() throws {
    try workplace.follow(
      """
      $ mkdir Shared sub && ln -s Shared Link && ln a.jsonl hard.jsonl && ln -s a.jsonl soft.jsonl
      $ for name in Shared ./Shared Shared/ Shared/. sub/../Shared "$PWD//Shared" Link; do
      >   eventlog sync a.jsonl "$name" > out; done
      $ eventlog status a.jsonl | grep -c ' synced at '
      1
      $ eventlog sync a.jsonl hard.jsonl
      ! Error: "hard.jsonl" is the journal itself.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      $ eventlog sync a.jsonl ./sub/../soft.jsonl 2>&1 | head -1
      Error: "./sub/../soft.jsonl" is the journal itself.
      $ eventlog sync a.jsonl Link/ --forget
      ! Forgot Link/.
      $ eventlog sync a.jsonl --forget
      ! a.jsonl has no remembered remotes.
      $ eventlog sync a.jsonl --forget --plan
      ! Error: --forget and --plan cannot be combined.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      """)
  }

  @Test func `remembered remotes survive the deletion of caches`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl > out && rm -rf a.eventlog/cache
      $ eventlog sync a.jsonl
      a.jsonl and \(workplace.file("b.jsonl")) contain the same events.
      $ eventlog sync a.jsonl > out && eventlog sync a.jsonl b.jsonl --forget
      ! Forgot b.jsonl.
      $ eventlog sync a.jsonl --forget
      ! a.jsonl has no remembered remotes.
      """)
  }

  // MARK: - Unsuitable remotes

  @Test func `a folder of journals isn't a shared folder, and a shared file isn't a journal`()
    throws
  {
    try workplace.follow(
      """
      $ mkdir home && mv b.jsonl b.eventlog home && eventlog sync a.jsonl home
      ! Error: "\(workplace.file("home"))" is not a shared folder: it contains journals. Nothing \
      was changed.
      ! Hint: Use a folder in it, which is then created: "\(workplace.file("home/Shared"))".
      ? 2
      $ mkdir Notes && echo hello > Notes/readme.txt && eventlog sync a.jsonl Notes > out
      ! Note: Notes also contains readme.txt. Nothing happens to what is there, but a folder that \
      devices share should contain nothing else.
      $ eventlog sync home/b.jsonl Notes/phone*.jsonl 2>&1 | sed 's/phone-[^"]*"/phone"/;s#"/.*/#"#'
      Error: "phone" is not a journal: it has the name of a file in a shared folder. It was not \
      changed.
      Hint: Sync with the folder instead: "Notes".
      $ eventlog append Notes/phone*.jsonl settings.changed a=1 > out 2> notes
      ? 2
      $ eventlog sync Notes/phone*.jsonl home/b.jsonl > out 2> notes
      ? 2
      $ ls Notes | wc -l
      3
      """)
  }

  @Test(arguments: [
    ("https://example.com/x", "is not a remote"), ("C:/foo", "is not a remote"),
  ])
  func `an address of an unknown kind is refused`(address: String, arguments: String) throws {
    let run = try workplace.eventlog("sync", "a.jsonl", address)
    #expect(run.code == 2 && run.errorText.contains(arguments))
  }

  @Test(arguments: [
    ("h:b.jsonl", "ssh://h/~/b.jsonl"), ("h:/b.jsonl", "ssh://h/b.jsonl"),
    ("h:~/b.jsonl", "ssh://h/~/b.jsonl"),
  ])
  func `a host of one letter is refused with a hint that contains its URL`(
    address: String, url: String
  ) throws {
    let run = try workplace.eventlog("sync", "a.jsonl", address)
    #expect(run.code == 2 && run.errorText.contains("one letter before a colon is a drive"))
    #expect(run.errorText.contains("For a host with that name: \(url). For a local path: "))
    // The URL in the hint is parsed to the same remote as its remembered form.
    let machine = try #require(RemoteAddress(url))
    #expect(RemoteAddress(machine.description) == machine)
  }

  @Test func `a web address is refused with a hint that contains a valid form`() throws {
    let run = try workplace.eventlog("sync", "a.jsonl", "https://example.com/x")
    #expect(run.code == 2 && run.errorText.contains("davs://example.com/x"))
  }

  @Test func `a name with a colon is refused if a local folder has it`() throws {
    try workplace.follow(
      """
      $ mkdir 'Back: up' && eventlog sync a.jsonl 'Back: up'
      ! Error: "Back: up" refers to a path on another machine, but something here has that name, \
      too.
      ! Hint: For the local one: './Back: up'
      ? 2
      $ eventlog sync a.jsonl './Back: up' > out && eventlog sync a.jsonl > out
      """)
  }

  // MARK: - Several remotes

  @Test func `a plan with several remotes matches the following run`() throws {
    try workplace.follow(
      """
      $ eventlog sync c.jsonl a.jsonl > out 2> notes && eventlog sync c.jsonl --forget 2> notes
      $ eventlog append c.jsonl --device desk settings.changed theme=light > id
      $ cp a.jsonl before
      """)
    let arguments = ["sync", "a.jsonl", "b.jsonl", "c.jsonl"]
    var plan = try json("sync", "a.jsonl", "b.jsonl", "c.jsonl", "--plan")
    #expect(try workplace.read("a.jsonl") == workplace.read("before"))
    #expect(try workplace.eventlog(arguments + ["--plan", "--check"]).code == 1)
    let run = try json("sync", "a.jsonl", "b.jsonl", "c.jsonl")
    #expect(plan.removeValue(forKey: "plan") == .bool(true))
    #expect(plan == run)
    // Events of the second remote are sent to the first, and the two are in conflict. Neither
    // candidate is ours.
    #expect(count(run["pushed"]) == 2 && count(run["conflicts"]) == 1)
    let text = try JSONValue(parsing: workplace.eventlog(["sync", "a.jsonl", "--json"]).output)
    #expect("\(text)".contains("conflicts"))
    if case .array(let conflicts)? = run["conflicts"] {
      #expect(!"\(conflicts)".contains("ours"))
    }
    #expect(try workplace.eventlog(arguments + ["--plan", "--check"]).code == 0)
  }

  // MARK: - Other messages

  @Test func `a sync notes a quarantined torn tail on either side`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl > out
      $ eventlog append a.jsonl settings.changed a=1 > id
      $ eventlog append b.jsonl settings.changed b=1 > id
      $ printf '{"torn' >> a.jsonl && printf '{"tor' >> b.jsonl
      $ eventlog sync a.jsonl b.jsonl 2>&1 > out | sed 's#"/[^"]*/#"#g;s#to "[^"]*"#to Q#' | sort
      Note: The last 5 bytes of "b.jsonl" were an interrupted append or damage. They were moved \
      to Q.
      Note: The last 6 bytes of "a.jsonl" were an interrupted append or damage. They were moved \
      to Q.
      $ printf '{"torn' >> a.jsonl
      $ eventlog sync a.jsonl b.jsonl --json | grep -o '"notices":."The last 6 bytes'
      "notices":["The last 6 bytes
      $ eventlog sync a.jsonl b.jsonl 2>&1 > out | grep -o 'are an interrupted append'
      are an interrupted append
      """)
  }

  @Test func `an error about unwritten output states that repeating a sync is safe`() throws {
    let run = try workplace.shell("eventlog sync a.jsonl b.jsonl > /dev/full")
    #expect(run.code == 2 && run.errorText.contains("It is safe to run it again"))
  }

  @Test func `comparing with a folder is refused and suggests a plan`() throws {
    try workplace.follow(
      """
      $ mkdir Shared && eventlog diff a.jsonl Shared
      ! Error: "Shared" is a folder, and eventlog diff compares two journals.
      ! Hint: To see what a sync would transfer: eventlog sync a.jsonl Shared --plan
      ? 2
      """)
  }

  @Test func `a device just created from a folder has nothing to push`() throws {
    try workplace.follow(
      """
      $ mkdir Shared && eventlog sync a.jsonl Shared > out && eventlog sync b.jsonl Shared > out
      $ eventlog sync new.jsonl Shared > out 2> notes
      $ ls Shared > before && eventlog sync new.jsonl
      new.jsonl and \(workplace.file("Shared")) contain the same events.
      $ ls Shared | cmp - before
      """)
  }

  @Test func `a signal ends a sync with a sentence about its progress`() throws {
    try workplace.follow(
      """
      $ for i in $(seq 20000); do echo '{"type":"settings.changed","data":{"n":'$i'}}'; done > in
      $ eventlog append a.jsonl - < in > out
      """)
    var wasCancelled = false
    for delay in ["0.05", "0.1", "0.15", "0.25", "0.4", "0.6", "0.9"] where !wasCancelled {
      let run = try workplace.shell(
        "rm -rf far.* ; timeout -s INT \(delay) eventlog sync a.jsonl far.jsonl > out")
      wasCancelled = run.errorText.contains(
        #/canceled\. \d+ of \d+ events were pushed; they are kept/#)
    }
    #expect(wasCancelled)
    #expect(try workplace.eventlog("sync", "a.jsonl", "far.jsonl").code == 0)
  }
}
