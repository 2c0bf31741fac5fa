import EventLog
import Testing

/// The remotes of a journal in the output of `status`.
@Suite struct StatusRemotesTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync a.jsonl Shared > out 2>&1 && eventlog sync a.jsonl b.jsonl > out 2>&1
      """)
  }

  /// Prints the table of remotes without the path of this test's folder.
  private static let statusCommand = """
    eventlog status a.jsonl | sed -n '/^syncs with/,/^$/p' | sed "s#$PWD/##; s/   */  /g"
    """

  @Test func `a damaged list of remotes is not taken for an empty one`() throws {
    try workplace.follow(
      """
      $ echo '{"remotes":["' > a.eventlog/remotes.json; cp a.eventlog/remotes.json before
      $ for verb in sync status; do eventlog $verb a.jsonl 2>&1 | sed 's|"[^"]*/a.ev|"a.ev|'; done
      Error: "a.eventlog/remotes.json" is damaged: it has no list of remotes. Nothing was changed.
      Hint: Delete the file, then name each remote once more to a sync.
      Error: "a.eventlog/remotes.json" is damaged: it has no list of remotes. Nothing was changed.
      Hint: Delete the file, then name each remote once more to a sync.
      $ eventlog sync a.jsonl Shared > out 2>&1; cmp a.eventlog/remotes.json before
      """)
  }

  @Test func `status prints the phase of each remote and a hint if one fails`() throws {
    try workplace.follow(
      """
      $ \(Self.statusCommand)
      syncs with  status
      Shared  synced at 2026-11-23T05:02:54.736Z
      b.jsonl  synced at 2026-11-23T05:02:54.736Z
      $ eventlog append a.jsonl habit.edited read goal=2 > id && mv b.jsonl away.jsonl
      $ eventlog append a.jsonl habit.edited read goal=3 > id
      $ \(Self.statusCommand)
      syncs with  status
      Shared  pending: 2 events wait, the oldest of 2026-11-23T05:02:54.736Z; last synced at \
      2026-11-23T05:02:54.736Z
      b.jsonl  pending: 2 events wait, the oldest of 2026-11-23T05:02:54.736Z; last synced at \
      2026-11-23T05:02:54.736Z
      $ eventlog sync a.jsonl > out 2>&1
      ? 2
      $ \(Self.statusCommand) | grep -v Hint:
      syncs with  status
      Shared  synced at 2026-11-23T05:02:54.736Z
      b.jsonl  retrying, failing since 2026-11-23T05:02:54.736Z; the next sync tries again; 2 \
      events wait, the oldest of 2026-11-23T05:02:54.736Z; last synced at 2026-11-23T05:02:54.736Z
        "b.jsonl" is a remembered remote, but it is not there. Nothing was changed there.
      $ \(Self.statusCommand) | grep -o 'Hint: Mount it or bring it back'
      Hint: Mount it or bring it back
      $ mv away.jsonl b.jsonl && eventlog sync a.jsonl > out
      $ \(Self.statusCommand) | tail -n +3 | grep -o '^b.jsonl  synced'
      b.jsonl  synced
      $ eventlog sync a.jsonl Shared --forget
      ! Forgot Shared.
      $ \(Self.statusCommand) | grep -c Shared
      0
      ? 1
      """)
  }

  @Test func `status with --where prints which remotes hold an event or an entity`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl habit.edited read goal=2 > id && eventlog sync a.jsonl Shared > out
      $ eventlog status a.jsonl --where Read | sed "s#$PWD/##; s/   */  /g"
      habit/read: 2 events, the last one phone-daj53tuu:3 at 2026-11-23T05:02:54.736Z
        a.jsonl  holds it
        Shared  held it at 2026-11-23T05:02:54.736Z
        b.jsonl  isn't known to hold all of it: 1 event waits, of 2026-11-23T05:02:54.736Z; last \
      synced at 2026-11-23T05:02:54.736Z
      $ eventlog status a.jsonl --where "$(cut -d' ' -f1 id)" | sed "s#$PWD/##; s/   */  /g"
      phone-daj53tuu:3: 1 event of 2026-11-23T05:02:54.736Z
        a.jsonl  holds it
        Shared  held it at 2026-11-23T05:02:54.736Z
        b.jsonl  isn't known to hold it: 1 event waits, of 2026-11-23T05:02:54.736Z; last \
      synced at 2026-11-23T05:02:54.736Z
      $ eventlog status a.jsonl --where habit/read --json | grep -o '"holds":[a-z]*'
      "holds":true
      "holds":false
      $ eventlog status a.jsonl --where write
      ! Error: There is no "write" in a.jsonl.
      ! Hint: eventlog project a.jsonl shows what exists.
      ? 2
      $ eventlog status Shared.jsonl --where read
      ! Error: There is no journal at "Shared.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      """)
  }

  @Test func `status doesn't print a remote as synced after a sync in one direction`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl --forget 2> out
      $ eventlog append b.jsonl --device desk habit.edited read goal=2 > id
      $ eventlog sync b.jsonl Shared > out && eventlog sync a.jsonl Shared --push > out
      $ \(Self.statusCommand)
      syncs with  status
      Shared  sent at 2026-11-23T05:02:54.736Z
        The last sync with "Shared" was asked to send only: events that are only there were not \
      received.
        Hint: Sync in both directions.
      $ eventlog status a.jsonl --json | grep -o '"oneWay":{[^}]*},"status":"[a-z]*"'
      "oneWay":{"adopted":null,"direction":"push"},"status":"sent"
      $ eventlog status a.jsonl --where habit/read --json | grep -o '"status":"[a-z]*"'
      "status":"sent"
      $ eventlog sync a.jsonl Shared > out && \(Self.statusCommand) | tail -n +2
      Shared  synced at 2026-11-23T05:02:54.736Z
      $ eventlog append g.jsonl --user guest-1 --device old habit.created run name=Run > id
      $ eventlog adopt a.jsonl g.jsonl > out && eventlog sync a.jsonl g.jsonl > out
      $ eventlog sync g.jsonl a.jsonl > out
      $ \(Self.statusCommand) | grep -A 2 ^g.jsonl
      g.jsonl  read at 2026-11-23T05:02:54.736Z
        "g.jsonl" is the journal of guest-1, who was adopted: its events are received, and nothing \
      is sent there.
        Hint: Sync with another place, too.
      $ eventlog status a.jsonl --json | grep -o '"oneWay":{[^}]*},"status":"[a-z]*"'
      "oneWay":{"adopted":"guest-1","direction":"pull"},"status":"read"
      $ eventlog append g.jsonl habit.edited run goal=2 > id
      $ \(Self.statusCommand.replacing("status a.jsonl", with: "status g.jsonl")) | tail -n +2
      a.jsonl  sent at 2026-11-23T05:02:54.736Z; 1 event waits, of 2026-11-23T05:02:54.736Z
        "a.jsonl" belongs to a user who has adopted guest-1: events are sent there, and none are \
      received.
        Hint: Open the journal of the user who has adopted guest-1.
      """)
  }

  @Test func `a pending event can be older than the last sync`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --at 2025-01-01T00:00:00Z habit.edited read goal=2 > id
      $ eventlog status a.jsonl | grep -o 'pending: [^;]*' | sort -u
      pending: 1 event waits, of 2025-01-01T00:00:00.000Z
      """)
  }

  @Test func `status with --where reports that an entity never left its journal`() throws {
    try workplace.follow(
      """
      $ eventlog append c.jsonl --user ada --device desk habit.created read name=Read > id
      $ eventlog status c.jsonl --where read | tail -n 2
        c.jsonl  holds it
      No other place is known: no sync from here was noted.
      """)
  }
}
