import Testing

/// Words that are spelled like something else: like an option, or like a drive.
@Suite struct SpelledWordTests {
  private let place: Workplace

  /// Two journals that hold the same.
  init() throws {
    place = try Workplace()
    try place.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync b.jsonl a.jsonl > made 2> notes && eventlog sync b.jsonl --forget 2> notes
      """)
  }

  @Test func `behind -- nothing is an option`() throws {
    try place.follow(
      """
      $ cp a.jsonl ./-a.jsonl
      $ eventlog conflicts -- -a.jsonl
      -a.jsonl: no conflicts.
      $ eventlog project -a.jsonl
      ! Error: eventlog project has no option -a.jsonl.
      ! Hint: A name that begins with - stands behind -- alone.
      ? 2
      $ eventlog conflicts a.jsonl -- --json
      ! Error: eventlog conflicts does not know what to do with "--json".
      ! Hint: eventlog help conflicts shows how it is called.
      ? 2
      $ eventlog append a.jsonl completion.advanced read by=-1 > id
      $ eventlog append a.jsonl settings.changed -- offset=-5 > id
      $ eventlog resolve a.jsonl habit/read#goal --value -5
      ! Error: There is no conflict "habit/read#goal"; it may be settled. Nothing was written.
      ! Hint: eventlog conflicts a.jsonl lists those that are open.
      ? 2
      $ eventlog sync -- -a.jsonl
      ! Error: -a.jsonl remembers no remote.
      ! Hint: Name one: eventlog sync ./-a.jsonl REMOTE
      ? 2
      """)
  }

  @Test func `an option is not the value of another one by mistake`() throws {
    try place.follow(
      """
      $ eventlog append a.jsonl --user --json habit.edited read name=x
      ! {"error":{"code":"usage","hint":"A value that is called like an option follows an equals \
      sign: --user=VALUE","message":"--user needs a value: --user NAME."}}
      ? 2
      $ eventlog append a.jsonl --ref=--json habit.edited read name=x > id
      $ grep -c '"ref":"--json"' a.jsonl
      1
      $ eventlog append a.jsonl --ref --other-7:5 habit.edited read name=y > id
      $ grep -c '"ref":"--other-7:5"' a.jsonl
      1
      $ eventlog append a.jsonl --ref --help | head -1
      eventlog append: write events, durable when the command returns
      $ eventlog -- conflicts a.jsonl
      a.jsonl: no conflicts.
      """)
  }

  @Test func `what is remembered and could be no remote is not suggested`() throws {
    try place.follow(
      #"""
      $ eventlog sync a.jsonl b.jsonl > out
      $ file=$(find a.eventlog -name remotes.json)
      > echo '{"remotes":["-oProxyCommand=touch x:y"]}' > "$file"
      $ eventlog sync a.jsonl
      ! Error: "-oProxyCommand=touch x:y" is remembered, and names no remote. Nothing was changed.
      ! Hint: To be without it: eventlog sync a.jsonl --forget -- '-oProxyCommand=touch x:y'
      ? 2
      $ eventlog sync a.jsonl --forget -- '-oProxyCommand=touch x:y'
      ! Forgot -oProxyCommand=touch x:y.
      $ file=$(find a.eventlog -name remotes.json) && echo '{"remotes":["-oProxy"]}' > "$file"
      $ eventlog sync a.jsonl
      ! Error: "-oProxy" is remembered, and is not there. Nothing was changed there.
      ! Hint: Bring it back (mount it), or make it anew: eventlog sync a.jsonl ./-oProxy. To be \#
      without it: eventlog sync a.jsonl ./-oProxy --forget
      ? 2
      """#)
  }

  @Test func `a host that is an address of numbers is no drive`() throws {
    let environment = try place.writeOtherMachine()
    let run = try place.eventlog(["sync", "a.jsonl", "[::1]:ada.jsonl"], environment: environment)
    #expect(run.code == 0)
    #expect(try place.shell("grep -c '^::1$' words").text == "1\n")
    try place.follow(
      """
      $ eventlog status a.jsonl | grep 'syncs with'
      syncs with  [::1]:ada.jsonl
      $ eventlog sync a.jsonl '@:x'
      ! Error: "@:x" names no remote.
      ! Hint: A remote is a journal (a path that ends in .jsonl), a folder (any other path), or a \
      journal on another machine (host:path, ssh://user@host:port/path).
      ? 2
      $ eventlog sync a.jsonl 'h:my journal'
      ! Error: "h:my journal" names no remote: one letter before a colon is a drive on other \
      systems, and no host.
      ! Hint: For a host by that name: 'ssh://h/~/my journal'. For what is here: './h:my journal'
      ? 2
      """)
  }
}
