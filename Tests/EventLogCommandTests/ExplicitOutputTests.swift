import Testing

/// Output that would be misleading if it were shorter.
@Suite struct ExplicitOutputTests {
  private let workplace: Workplace

  /// Makes a journal with four events, and `b.jsonl` with the same events.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog append a.jsonl habit.edited read goal=7 > id
      $ eventlog append a.jsonl habit.edited read goal=8 from=2026-01-01 > id
      $ eventlog sync b.jsonl a.jsonl > made 2> notes && eventlog sync b.jsonl --forget 2> notes
      """)
  }

  @Test func `the summary of a single day is in the singular`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl completion.advanced read by=1 date=2026-01-02 > id
      $ eventlog project a.jsonl | grep recorded
        0 of 1 recorded day completed, 2026-01-02. To list it:
      $ eventlog append a.jsonl completion.advanced read by=8 date=2026-01-04 > id
      $ eventlog project a.jsonl | grep recorded
        1 of 2 recorded days completed, 2026-01-02 to 2026-01-04. To list them:
      """)
  }

  @Test func `repair reports a torn tail and its quarantine`() throws {
    try workplace.follow(
      """
      $ printf 'torn' >> a.jsonl
      $ eventlog repair a.jsonl 2> notes
      a.jsonl: nothing else is missing; the next append moves the journal's damaged end to the \
      quarantine folder.
      $ grep Another notes
      Note: Another copy may have what the damaged end contained: eventlog repair a.jsonl --from \
      OTHER.
      $ grep -c 'The last 4 bytes are an interrupted append or damage (their first line .*)' notes
      1
      """)
  }

  @Test func `a watch ends at once if its remote is a folder of journals`() throws {
    try workplace.follow(
      """
      $ mkdir logs && cp a.jsonl logs
      $ eventlog sync a.jsonl logs --watch 2> err; echo $?
      2
      $ grep -c 'Hint: Use a folder in it, which is then created' err
      1
      """)
  }

  @Test func `diff with --events reports two equal journals`() throws {
    try workplace.follow(
      """
      $ eventlog diff a.jsonl b.jsonl --events
      ! Note: a.jsonl and b.jsonl contain the same events.
      """)
  }

  @Test func `replaying an unknown device is an error, and an unknown type is a note`() throws {
    let run = try workplace.eventlog("replay", "a.jsonl", "--device", "phone")
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(
      run.errorText.contains(
        "Error: a.jsonl contains no events of a device \"phone\".\nHint: Did you mean phone-"))
    let other = try workplace.eventlog("replay", "a.jsonl", "--device", "zzz-22222222")
    #expect(other.code == 2 && other.errorText.contains("Hint: Its devices are phone-"))
    try workplace.follow(
      """
      $ eventlog replay a.jsonl --type no.such
      ! Note: No event in a.jsonl has the type no.such. It contains device.joined, \
      habit.created, habit.edited.
      """)
  }

  @Test func `a warning about several damaged lines contains their number`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl habit.edited read goal=9 > id
      $ sed -i 's/"goal":[78]/"goal":6/' a.jsonl
      $ eventlog status a.jsonl > out 2> notes
      $ grep -o 'And . more: eventlog verify a.jsonl lists them all.' notes
      And 2 more: eventlog verify a.jsonl lists them all.
      $ eventlog verify a.jsonl | grep -o '. problems'
      3 problems
      """)
  }

  @Test func `a sync of two journals with the same gap reports the gap`() throws {
    try workplace.follow(
      """
      $ sed -i '/"goal":7/d' a.jsonl && sed -i '/"goal":7/d' b.jsonl
      $ eventlog sync a.jsonl b.jsonl 2> notes | sed 's/phone-[a-z2-7]*/phone/'
      a.jsonl and b.jsonl contain the same events; both are missing phone:3.
      """)
  }

  @Test func `an error about many matches lists the first ones and counts the rest`() throws {
    try workplace.follow(
      """
      $ for i in 1 2 3 4 5 6 7; do eventlog append a.jsonl habit.created r$i name=Same; done > ids
      $ eventlog why a.jsonl Same name
      ! Error: "Same" matches 7 entities: habit/r1, habit/r2, habit/r3, habit/r4, habit/r5 and 2 \
      more.
      ! Hint: Use the whole key.
      ? 2
      $ eventlog append a.jsonl habit.edited Same goal=3
      ! Error: "Same" matches 7 entities of kind habit: r1, r2, r3, r4, r5 and 2 more. Nothing was \
      written.
      ! Hint: Use the whole key.
      ? 2
      """)
  }
}
