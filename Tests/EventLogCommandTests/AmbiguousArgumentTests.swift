import Testing

/// Arguments that look like an option or a drive.
@Suite struct AmbiguousArgumentTests {
  private let workplace: Workplace

  /// Makes two journals that contain the same events.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync b.jsonl a.jsonl > made 2> notes && eventlog sync b.jsonl --forget 2> notes
      """)
  }

  @Test func `arguments after -- are never options`() throws {
    try workplace.follow(
      """
      $ cp a.jsonl ./-a.jsonl
      $ eventlog conflicts -- -a.jsonl
      -a.jsonl: no conflicts.
      $ eventlog project -a.jsonl
      ! Error: eventlog project has no option -a.jsonl.
      ! Hint: If it is a name that begins with -, put -- before it.
      ? 2
      $ eventlog conflicts a.jsonl -- --json
      ! Error: Unexpected word "--json".
      ! Hint: eventlog help conflicts shows its usage.
      ? 2
      $ eventlog append a.jsonl completion.advanced read by=-1 > id
      $ eventlog append a.jsonl settings.changed -- offset=-5 > id
      $ eventlog resolve a.jsonl habit/read#goal --value -5
      ! Error: There is no conflict "habit/read#goal"; it may be resolved already. Nothing was \
      written.
      ! Hint: eventlog conflicts a.jsonl lists the open conflicts.
      ? 2
      $ eventlog sync -- -a.jsonl
      ! Error: -a.jsonl has no remembered remotes.
      ! Hint: Specify one: eventlog sync ./-a.jsonl REMOTE
      ? 2
      """)
  }

  @Test func `an option isn't taken as another option's value by mistake`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user --json habit.edited read name=x
      ! {"error":{"code":"usage","hint":"If the value looks like an option, write \
      --user=VALUE.","message":"--user needs a value: --user NAME."}}
      ? 2
      $ eventlog append a.jsonl --ref=--json habit.edited read name=x > id
      $ grep -c '"ref":"--json"' a.jsonl
      1
      $ eventlog append a.jsonl --ref --other-7:5 habit.edited read name=y > id
      $ grep -c '"ref":"--other-7:5"' a.jsonl
      1
      $ eventlog append a.jsonl --ref --help | head -1
      eventlog append: write events; they are durable when the command returns
      $ eventlog -- conflicts a.jsonl
      a.jsonl: no conflicts.
      """)
  }

  @Test func `a remembered remote that isn't valid isn't suggested`() throws {
    try workplace.follow(
      #"""
      $ eventlog sync a.jsonl b.jsonl > out
      $ file=$(find a.eventlog -name remotes.json)
      > echo '{"remotes":["-oProxyCommand=touch x:y"]}' > "$file"
      $ eventlog sync a.jsonl
      ! Error: "-oProxyCommand=touch x:y" is remembered, but is not a remote. Nothing was changed.
      ! Hint: To forget it: eventlog sync a.jsonl --forget -- '-oProxyCommand=touch x:y'
      ? 2
      $ eventlog sync a.jsonl --forget -- '-oProxyCommand=touch x:y'
      ! Forgot -oProxyCommand=touch x:y.
      $ file=$(find a.eventlog -name remotes.json) && echo '{"remotes":["-oProxy"]}' > "$file"
      $ eventlog sync a.jsonl
      ! Error: "-oProxy" is a remembered remote, but it is not there. Nothing was changed there.
      ! Hint: Mount it or bring it back, or create it again: eventlog sync a.jsonl ./-oProxy. To \#
      forget it: eventlog sync a.jsonl ./-oProxy --forget
      ? 2
      """#)
  }

  @Test func `a numeric host in brackets isn't taken as a drive`() throws {
    let environment = try workplace.writeOtherMachine()
    let run = try workplace.eventlog(
      ["sync", "a.jsonl", "[::1]:ada.jsonl"], environment: environment)
    #expect(run.code == 0)
    #expect(try workplace.shell("grep -c '^::1$' words").text == "1\n")
    try workplace.follow(
      """
      $ eventlog status a.jsonl | grep -c '::1.:ada.jsonl  synced at'
      1
      $ eventlog sync a.jsonl '@:x'
      ! Error: "@:x" is not a remote.
      ! Hint: A remote is a journal (a file, or a new path that ends in .jsonl), a folder (any \
      other path), a journal on another machine (host:path, ssh://user@host:port/path), or a \
      place in a cloud (s3://bucket/prefix).
      ? 2
      $ eventlog sync a.jsonl https://ada:word@cloud.example.org/remote.php/dav/files/ada
      ! Error: "https://cloud.example.org/remote.php/dav/files/ada" is not a remote.
      ! Hint: For a folder of a WebDAV server: davs://cloud.example.org/remote.php/dav/files/ada. \
      For a place of another service, use its own form, such as s3://bucket/prefix.
      ? 2
      $ eventlog sync a.jsonl 'h:my journal'
      ! Error: "h:my journal" is not a remote: one letter before a colon is a drive on some \
      systems, not a host.
      ! Hint: For a host with that name: 'ssh://h/~/my journal'. For a local path: './h:my journal'
      ? 2
      """)
  }
}
