extension HintScenario {
  /// Scenarios that need nothing special of the machine.
  static let ordinary = words + journals + damage + remotes + conflicts
  static let all = ordinary + [onTerminal, onReadOnlyDisk]

  /// Literals that name a verb but suggest nothing.
  static let unrun = [
    "eventlog diff compares two journals.", "eventlog serve talks to another eventlog",
    "eventlog why needs an entity", "eventlog resolve needs the ID",
    "eventlog erase needs an entity", "eventlog erase takes an entity",
    "eventlog resolve takes either --take", "has no option", "eventlog adopt needs the journal",
    "eventlog accounts needs a folder", "eventlog crashes needs a place",
    "eventlog login needs an address", "eventlog publish needs", "needs the path of a journal.",
    "journal format 1",
    "eventlog import needs a file", "eventlog import needs a map",
    // Help about the effects of eventlog or of an example.
    "eventlog sync starts it through ssh", "eventlog login keeps a sign-in",
    "another built-in collection",
    "eventlog sync sends files to folders", "REMOTEs, or else those that eventlog sync remembers",
    "against their names. eventlog attachments",
    "eventlog repair and eventlog sync fetch missing events",
    "keeps what that event wrote; eventlog conflicts prints",
    // Usage lines in the help.
    #"console.print("  eventlog \(line)")"#,
  ]

  // MARK: - Command line

  /// Saves the collections of an app beside the journal.
  private static let savedSchema = #"""
    side="${J%.jsonl}.eventlog"
    mkdir -p "$side"
    echo '{"collections":[{"kind":"plant","fields":{"name":"text"}}]}' \
      > "$side/schema-1-79a71026.json"
    """#

  /// Attaches a file.
  private static let attaching = #"""
    echo a > a.txt
    eventlog append "$J" recipe.created soup image=@a.txt
    """#

  private static let words: [HintScenario] = [
    .init(
      #"Did you mean eventlog \($0)?""#, shown: "Did you mean eventlog append?", "eventlog appendd",
      .noLonger("Unknown verb")),
    .init("eventlog help lists the verbs.", "eventlog xyzzy"),
    .init(
      #"Did you mean eventlog help \($0)?"#, shown: "Did you mean eventlog help append?",
      "eventlog help appendd"),
    .init(
      "eventlog help VERB explains a verb", "eventlog help", filling: ["VERB": "append"]),
    .init(#"eventlog help \(verb) shows"#, shown: "eventlog help why shows", #"eventlog why "$J""#),
    .init("eventlog types lists the types; --schema", #"eventlog append "$J" no.such"#),
    .init(
      #"eventlog types \(journal) lists the types of its app; --force"#,
      shown: "lists the types of its app; --force", after: savedSchema,
      #"eventlog append "$J" no.such"#),
    .init(
      #"eventlog types \(journal) lists the types of its app."#,
      shown: "lists the types of its app.", after: savedSchema, #"eventlog append "$J" No.Such"#),
    .init(
      #""eventlog types lists the types.""#, shown: "eventlog types lists", "eventlog types x.y"),
    .init("eventlog types lists the types that can be appended.", "eventlog types device.joined"),
    .init("(eventlog types KIND)", "eventlog types", filling: ["KIND": "food"]),
    .init(
      "eventlog types TYPE shows", "eventlog help append", filling: ["TYPE": "habit.created"]),
    .init(
      #"eventlog types \(draft.type) lists its fields."#, shown: "lists its fields.",
      #"eventlog append "$J" habit.edited read xyzzy=1"#),
    .init(
      "For an example of a schema: eventlog types", after: "echo no > no.json",
      "eventlog types --schema no.json"),
  ]

  // MARK: - Contents of a journal

  private static let journals: [HintScenario] = [
    .init(
      #""eventlog", "adopt", ShellWord.nonOption(path)"#, shown: "To hide it again",
      after: "eventlog append bob.jsonl --user bob profile.updated height=180",
      #"eventlog adopt "$J" bob.jsonl"#,
      check: #"test -z "$(eventlog project "$J" --json | grep height)""#),
    .init(
      "shows what exists.", #"eventlog why "$J" none name"#),
    .init(
      #"  eventlog project \(ShellWord.path(path)) \(nonempty"#, shown: "  eventlog project",
      after: #"eventlog append "$J" food.created oats name=Oats"#, #"eventlog project "$J""#),
    .init(
      #"  eventlog project \(ShellWord.path(path)) \(section.section)"#,
      shown: "  eventlog project",
      after: #"eventlog append "$J" completion.advanced read by=1"#, #"eventlog project "$J""#),
    .init(
      "To read its events one by one: eventlog replay",
      after: #"""
        for number in $(seq 64); do
          rm -rf "${J%.jsonl}.eventlog"
          eventlog append "$J" --device d settings.included key=diet 'members=["none"]'
        done
        members=$(seq -s '","' 80000)
        data="{\"key\":\"diet\",\"members\":[\"$members\"]}"
        echo "{\"type\":\"settings.included\",\"data\":$data}" | eventlog append "$J" -
        """#, #"eventlog why "$J" settings diet"#),
    .init("lists the devices.", #"eventlog project "$J" --as '?'"#),
    .init(
      #"["eventlog", "sync"]"#, shown: "merges them", #"eventlog diff "$J" "$C""#,
      check: #"eventlog diff "$J" "$C""#),
    .init(
      "To see what a sync would transfer: eventlog sync", after: #"mkdir "$F""#,
      #"eventlog diff "$J" "$F""#),
  ]

  static let onTerminal = HintScenario(
    "On the other machine: eventlog sync", after: #"mkdir far; cp "$J" "far/$J""#,
    #"script -qec 'eventlog serve "$J"' /dev/null"#,
    filling: ["JOURNAL": #""$C""#, "HOST": "desk"])

  // MARK: - Missing and damaged events

  /// Changes a byte of the second-to-last line of the journal.
  private static let damaging = """
    eventlog append "$J" habit.edited read goal=7
    eventlog append "$J" habit.edited read goal=8
    eventlog sync "$O" "$J"; eventlog sync "$O" "$J" --forget
    sed -i 's/"goal":7/"goal":9/' "$J"
    """

  private static let damage: [HintScenario] = [
    .init(
      "To fetch it from another copy: eventlog repair", after: damaging,
      #"eventlog project "$J""#, filling: ["OTHER": #""$O""#], .answered,
      check: #"eventlog verify "$J""#),
    .init(
      " more: eventlog verify", shown: "more: eventlog verify",
      after: damaging, #"eventlog project "$J""#, filling: ["OTHER": #""$O""#], .answered,
      check: #"eventlog verify "$J""#),
    .init(
      "lists the events that do not count.",
      after: #"""
        eventlog append ben.jsonl --user ben habit.created walk name=Walk
        cat ben.jsonl >> "$J"
        """#,
      #"eventlog project "$J" --user ada"#, .answered),
    .init(
      "Another copy may have it: eventlog repair", after: damaging, #"eventlog repair "$J""#,
      filling: ["OTHER": #""$O""#], check: #"eventlog verify "$J""#),
    .init(
      "Another copy may have what the damaged end contained: eventlog repair",
      after: #"printf torn >> "$J""#, #"eventlog repair "$J""#, filling: ["OTHER": #""$O""#]),
    .init(
      "If no copy has it: eventlog repair", after: damaging,
      #"eventlog repair "$J" --from "$C""#, check: #"eventlog verify "$J""#),
    .init(
      "Hint: eventlog verify", after: holding,
      #"EVENTLOG_SSH='sh ./holding' eventlog sync "$J" desk:far.jsonl --pull"#),
  ]

  /// A remote that states three events, but doesn't send the second one.
  private static let holding = #"""
    eventlog append far.jsonl --user ada --device far settings.changed a=1
    eventlog append far.jsonl settings.changed a=2
    sed -n '1p;3p' far.jsonl > part
    id=$(sed -n '3s/{"id":"\([^"]*\)".*/\1/p' far.jsonl)
    chain=$(tail -c 11 far.jsonl | head -c 8)
    cat > holding <<end
    read hello; echo '{"welcome":{"protocol":1}}'
    read statement; echo '{"statement":{"user":"ada","tips":["$id~$chain"]}}'
    read request; echo '{"lines":{"count":2,"bytes":$(wc -c < part)}}'; cat part
    echo '{"end":{}}'
    read finish; echo '{"finished":{}}'
    end
    """#

  // MARK: - Remotes

  private static let remotes: [HintScenario] = [
    .init(
      "Check the path. eventlog sync", "eventlog sync new.jsonl",
      filling: ["REMOTE": #""$J""#], check: "eventlog verify new.jsonl"),
    .init(
      "Specify one: eventlog attachments", after: attaching,
      #"eventlog attachments "$J" --fetch"#, filling: ["REMOTE": "Shared"]),
    .init(
      #"eventlog attachments \(ShellWord.path(path)) --check"#, shown: "--check --fetch",
      after: attaching
        + #"""

        eventlog sync "$J" Shared
        for file in "${J%.jsonl}".attachments/*; do echo b > "$file"; done
        """#,
      #"eventlog verify "$J""#, check: #"eventlog verify "$J""#),
    .init(
      "Specify one: eventlog sync", #"eventlog sync "$J""#, filling: ["REMOTE": #""$C""#],
      check: #"eventlog diff "$J" "$C""#),
    .init(
      "Sign in: eventlog login", shown: "login firestore://diary/ada --email",
      #"eventlog sync "$J" firestore://diary/ada"#, filling: ["ADDRESS": "ada@example.org"],
      .noLonger("It is not said how to sign in")),
    .init(
      "keep the web token: eventlog login",
      #"CLOUDKIT_API_TOKEN=api eventlog sync "$J" cloudkit://iCloud.a/development"#,
      .noLonger("nobody is signed in")),
    .init(
      "or create it again: eventlog sync",
      after: #"eventlog sync "$J" "$F"; rm -r -- "$F""#, #"eventlog sync "$J""#),
    .init(
      #"" To forget it: eventlog sync"#, shown: "To forget it: eventlog sync",
      after: #"eventlog sync "$J" "$F"; rm -r -- "$F""#,
      #"eventlog sync "$J""#, check: #"test -z "$(eventlog status "$J" | grep syncs)""#),
    .init(
      "To forget it: eventlog sync",
      after: #"""
        eventlog sync "$J" "$F"
        find . -name remotes.json | while read -r file; do
          echo '{"remotes":["-oProxyCommand=touch x:y"]}' > "$file"
        done
        """#, #"eventlog sync "$J""#,
      check: #"test -z "$(eventlog sync "$J" 2>&1 | grep "touch x:y")""#),
    .init(
      "To forget all remotes: eventlog sync",
      after: #"""
        hidden=$(printf 'a\033b')
        eventlog sync "$J" "$hidden"; rm -r "$hidden"
        """#, #"eventlog sync "$J""#, check: #"test -z "$(eventlog status "$J" | grep syncs)""#),
  ]

  static let onReadOnlyDisk = HintScenario(
    "You can still pull from it: eventlog sync",
    after: #"mkdir far; cp "$C" far/far.jsonl; eventlog append "$J" settings.changed a=1"#,
    #"eventlog sync "$J" far/far.jsonl"#, filling: ["REMOTE": "far/far.jsonl"],
    inside: "mount --bind far far && mount -o remount,ro,bind far far")

  // MARK: - Conflicts

  /// A conflict of two devices about the name of a habit.
  private static let disagreeing = """
    eventlog append "$J" habit.edited read name=One
    eventlog append "$C" habit.edited read name=Two
    eventlog sync "$J" "$C"; eventlog sync "$J" "$C" --forget
    """

  private static let conflicts: [HintScenario] = [
    .init(
      #"\(ShellWord.contextOptions(arguments)) lists the open""#,
      shown: "lists the open conflicts.", after: disagreeing,
      #"eventlog resolve "$J" none --value 1"#),
    .init(
      #"\(Self.journal(arguments)) lists them."#, shown: "lists them.",
      #"eventlog resolve "$J""#),
    .init(
      "shows the event IDs of the candidates.", after: disagreeing,
      #"eventlog resolve "$J" habit/read#name --take one"#),
    .init(
      " eventlog conflicts ", shown: "shows how to resolve it.", after: disagreeing,
      #"eventlog why "$J" read name"#),
    .init(
      #""eventlog", "resolve","#, shown: "--take", after: disagreeing,
      #"eventlog conflicts "$J" | grep -m1 -e --take"#, check: #"eventlog conflicts "$J" --check"#),
    .init(
      "it contains invisible characters. eventlog resolve", shown: "Its ID cannot be typed",
      after: #"""
        name=$(printf 'a\033b')
        eventlog append "$J" --force settings.changed "$name=1"
        eventlog append "$C" --force settings.changed "$name=2"
        eventlog sync "$J" "$C"
        """#, #"eventlog conflicts "$J""#, check: #"eventlog conflicts "$J" --check"#),
    .init(
      #"eventlog conflicts \(ShellWord.path(path))\(ShellWord.contextOptions(console)) lists""#,
      shown: "lists them all",
      after: #"""
        for name in J C; do
          file=$J; test $name = J || file=$C
          for i in $(seq 22); do
            echo '{"type":"settings.changed","data":{"s'$i'":"'$name'"}}'
          done > lines
          eventlog append "$file" - < lines
        done
        """#, #"eventlog sync "$J" "$C""#),
    .init(
      "To see it again: eventlog append",
      after: #"""
        {
          echo HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText
          echo Run,,,2026-01-09,1,
        } > h.csv
        eventlog import "$J" h.csv --map habitbull
        eventlog append "$J" habit.deleted habitbull-Run
        echo Run,,,2026-01-10,1, >> h.csv
        """#, #"eventlog import "$J" h.csv --map habitbull"#,
      check: #"eventlog project "$J" habits | grep -q habitbull-Run"#),
  ]

  /// Whether the command has the path of a journal, so that the path's spelling matters.
  var isAboutFiles: Bool { command.contains("$J") }
}
