import Testing

@testable import EventLogCommand

/// Output about more items than a user can read, and about values that are longer than a line.
@Suite struct ManyItemsTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  @Test func `at most twenty candidates are printed, and all are resolved at once`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device a settings.changed font=12 > ids
      $ for n in $(seq 10 34); do cp a.jsonl c.jsonl; rm -rf c.eventlog; \
      eventlog append c.jsonl --device d$n settings.changed theme=$n > ids 2> notes; \
      mv c.jsonl c$n.jsonl; mv c.eventlog c$n.eventlog; done
      $ for n in $(seq 10 34); do eventlog sync a.jsonl c$n.jsonl --pull > out; done
      $ eventlog conflicts a.jsonl > said && grep -c -e --take said
      20
      $ grep -e shown -e more -e --over said | cut -c1-19
          shown  34  d34-
          and 5 more cand
      $ eventlog conflicts a.jsonl --json | grep -o '"event":"d[0-9]*-' | sort -u | wc -l
      25
      $ first=$(grep -o 'd10-[a-z0-9]*:2' said | head -1); \
      eventlog resolve a.jsonl 'settings#theme' --take $first > id
      $ eventlog conflicts a.jsonl
      a.jsonl: no conflicts.
      """)
  }

  @Test func `resolve with --all resolves conflicts of presence and of values`() throws {
    try workplace.follow(
      """
      $ for n in 1 2 3 4; do \
      eventlog append a.jsonl --user ada --device a habit.created h$n name=H; done > ids
      $ eventlog sync b.jsonl a.jsonl > made 2> notes
      $ for n in 1 2 3 4; do eventlog append a.jsonl habit.edited h$n name=A; \
      eventlog append b.jsonl habit.edited h$n name=B; done > ids
      $ eventlog append a.jsonl habit.deleted h1 > id && eventlog sync a.jsonl b.jsonl > out
      $ eventlog conflicts a.jsonl | grep '^  [a-z]'
        habit/h1#name, was H
        habit/h1#presence
        habit/h2#name, was H
        habit/h3#name, was H
        habit/h4#name, was H
      $ eventlog resolve a.jsonl --all --prefer latest > ids && eventlog conflicts a.jsonl
      a.jsonl: no conflicts.
      $ eventlog resolve a.jsonl --all --prefer latest
      ! Note: a.jsonl has no conflicts.
      """)
  }

  @Test func `a long cell shifts only the cells after it in its own line`() {
    var table = Table()
    table.add(["a", "b", "c"])
    table.add([String(repeating: "x", count: 200), "b", "c"])
    table.add(["aaa", "b", "c"])
    #expect(
      table.lines(Console(), indent: "") == [
        "a    b  c", String(repeating: "x", count: 200) + "  b  c", "aaa  b  c",
      ])
  }
}
