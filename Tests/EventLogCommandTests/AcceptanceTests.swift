import EventLog
import Foundation
import Testing

/// Copies, damage and lost lines in combination.
@Suite struct AcceptanceTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read goal=20 > id
      """)
  }

  // MARK: - Copies

  @Test func `a recognized copy makes no fork`() throws {
    try place.follow(
      """
      $ cp -a a.jsonl b.jsonl; cp -a a.eventlog b.eventlog
      $ eventlog append a.jsonl completion.advanced read by=5 > id
      $ eventlog append b.jsonl completion.advanced read by=7 > id
      ! Note: The journal is a copy, or was restored from one, so from now on it writes under a \
      new device ID.
      $ eventlog sync a.jsonl b.jsonl > out && eventlog project b.jsonl completions | tail -n 1
        2026-01-28  Read   12        20
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog sync a.jsonl b.jsonl --json | grep -o '"forks":[^]]*]' | sort -u
      "forks":[]
      """)
  }

  @Test func `an unrecognized copy makes a fork and both histories count`() throws {
    try place.follow(
      """
      $ clone a b
      $ eventlog append a.jsonl completion.advanced read by=5 | sed 's/-[a-z2-7]*//'
      phone:3  habit/read
      $ eventlog append b.jsonl completion.advanced read by=7 | sed 's/-[a-z2-7]*//'
      phone:3  habit/read
      $ eventlog sync a.jsonl b.jsonl --plan 2>&1 > out | sed 's/-[a-z2-7]*//g'
      Note: phone was copied or restored after phone:2, and both copies kept writing under its \
      ID. Both histories count, and each copy continues under a new ID.
      $ eventlog sync a.jsonl b.jsonl 2> err | sed 's/-[a-z2-7]*:/:/; s/~.*/~CHAIN/'
      a.jsonl and b.jsonl
        pulled  1 event  phone:3~CHAIN
        pushed  1 event  phone:3~CHAIN
      $ sed 's/-[a-z2-7]*//g' err
      Note: phone was copied or restored after phone:2, and both copies kept writing under its \
      ID. Both histories count, and each copy continues under a new ID.
      $ eventlog project b.jsonl completions | tail -n 1
        2026-01-28  Read   12        20
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog verify a.jsonl b.jsonl | grep -c ': sound, 4 events from 1 device'
      2
      $ (eventlog append a.jsonl completion.advanced read by=1; \
      eventlog append b.jsonl completion.advanced read by=1) 2> err | sed 's/^[^:]*//'
      :2  habit/read
      :2  habit/read
      $ eventlog sync a.jsonl > out && eventlog project b.jsonl completions | tail -n 1
        2026-01-28  Read   14        20
      $ grep -c . a.jsonl
      8
      """)
  }

  @Test func `an ambiguous short ID is refused and a full ID accepted`() throws {
    try place.follow(
      """
      $ clone a b
      $ eventlog append a.jsonl habit.edited read name=Left > a; eventlog append b.jsonl \
      habit.edited read name=Right > b; eventlog sync a.jsonl b.jsonl > out 2> err
      """)
    let status = try place.eventlog("status", "a.jsonl", "--json")
    guard case .object(let object) = try JSONValue(parsing: status.output),
      case .array(let tips)? = object["frontier"], tips.count == 2,
      case .string(let first) = tips[0], case .string(let second) = tips[1]
    else {
      Issue.record("no two tips: \(status.text)")
      return
    }
    #expect(FullEventID(first) != nil && first < second)
    let short = String(first.prefix { $0 != "~" })
    let device = String(first.prefix { $0 != ":" })
    // In options for a cut.
    let refused = try place.eventlog("project", "a.jsonl", "--at", short)
    #expect(refused.code == 2)
    #expect(refused.errorText.contains("\(short) refers to 2 events in a.jsonl"))
    #expect(refused.errorText.contains("Hint: Use one of \(first), \(second)."))
    for option in ["--at", "--as"] {
      for tip in [first, second] {
        let run = try place.eventlog("project", "a.jsonl", "--json", option, tip)
        #expect(run.text.contains("\"frontier\":[\"\(tip)\"]"), "\(run.text)\(run.errorText)")
        #expect(run.text.contains("\"eventCount\":3"))
      }
    }
    let whole = try place.eventlog("project", "a.jsonl", "--json", "--as", device)
    #expect(whole.text.contains("\"frontier\":[\"\(first)\",\"\(second)\"]"))
    // In a resolution. If a short ID is ambiguous, the output contains full IDs only.
    let conflicts = try place.eventlog("conflicts", "a.jsonl").text
    #expect(conflicts.contains("--take \(first) --over \(second)"))
    #expect(try place.eventlog("replay", "a.jsonl").text.contains("  \(first)  habit.edited"))
    let id = "habit/read#name"
    let choice = try place.eventlog("resolve", "a.jsonl", id, "--take", short)
    #expect(choice.code == 2 && choice.errorText.contains("\(short) refers to 2 candidates"))
    #expect(choice.errorText.contains(first) && choice.errorText.contains(second))
    #expect(
      try place.eventlog("resolve", "a.jsonl", id, "--take", first, "--over", second).code == 0)
    #expect(try place.eventlog("conflicts", "a.jsonl", "--check").code == 0)
  }

  // MARK: - Damage

  @Test func `sync, repair and verify find damage in lines that a checkpoint covers`() throws {
    try place.write(
      "ring.sh",
      #"""
      for round in 1 2 3 4 5 6; do
        for i in $(seq 100); do
          echo '{"type":"settings.changed","data":{"k'$round.$i'":'$i'}}'
        done | eventlog append a.jsonl - > out
      done
      eventlog sync b.jsonl a.jsonl > out 2> err; eventlog sync c.jsonl a.jsonl > out 2> err
      eventlog project a.jsonl --json > before
      ls a.eventlog/cache b.eventlog/cache c.eventlog/cache | grep -c checkpoint
      damage() {
        printf '~' | dd of=$1.jsonl bs=1 seek=$(($(head -n $2 $1.jsonl | wc -c) - 60)) \
          conv=notrunc 2> err
      }
      damage a 100; damage b 200; damage c 300
      eventlog repair a.jsonl --from b.jsonl > out 2> err; echo $?
      for round in 1 2; do
        eventlog sync b.jsonl c.jsonl > out 2> err; eventlog sync c.jsonl a.jsonl > out 2> err
        eventlog sync a.jsonl b.jsonl > out 2> err
      done
      for copy in a b c; do
        eventlog verify $copy.jsonl > out; echo $?
        eventlog project $copy.jsonl --json | cmp - before
      done
      damage a 400
      eventlog project a.jsonl --json | cmp - before
      eventlog verify a.jsonl > out; echo $?
      eventlog project a.jsonl settings --json 2> err | grep -c '"k4.'
      """#)
    try place.follow(
      """
      $ sh ring.sh
      3
      0
      0
      0
      0
      1
      1
      """)
  }

  @Test func `a batch whose last line is damaged has a gap and its other lines count`() throws {
    try place.follow(
      """
      $ for i in 1 2 3; do echo '{"type":"settings.changed","data":{"b'$i'":1}}'; done > batch
      $ eventlog append a.jsonl - < batch > out && cp a.jsonl sound.jsonl
      $ printf '~' | dd of=a.jsonl bs=1 seek=$(($(wc -c < a.jsonl) - 60)) conv=notrunc 2> err
      $ eventlog append a.jsonl settings.changed y=1 > out 2> err
      $ eventlog verify a.jsonl | grep -c 'gap: .* is missing here'
      1
      $ eventlog project a.jsonl settings 2> err
      Settings
        b1  1
        b2  1
        y   1
      $ eventlog sync a.jsonl sound.jsonl > out 2> err && eventlog verify a.jsonl | grep -c sound
      1
      $ eventlog project sound.jsonl settings
      Settings
        b1  1
        b2  1
        b3  1
        y   1
      """)
  }

  // MARK: - Batches

  @Test func `after the next append all whole lines of a cut batch count`() throws {
    try place.write(
      "cut.sh",
      #"""
      start=$(stat -c %s a.jsonl)
      for day in 1 2 3 4 5; do
        data='"data":{"date":"2026-01-0'$day'","by":1}'
        echo '{"type":"completion.advanced","entity":"habit/read",'"$data"'}'
      done | eventlog append a.jsonl - > out
      size=$(grep . a.jsonl | wc -c)
      days() { eventlog project $1 completions --json 2> err | grep -o '"progress":1' | wc -l; }
      at=$start
      while [ $at -le $size ]; do
        rm -rf c.* p.*; clone a c; truncate -s $at c.jsonl
        before=$(days c.jsonl)
        eventlog verify c.jsonl > out; sound=$?
        eventlog sync p.jsonl c.jsonl > out 2> err; peer=$(days p.jsonl)
        eventlog append c.jsonl settings.changed a=1 > out 2> err || echo "no append at $at"
        after=$(days c.jsonl)
        eventlog verify c.jsonl > out; later=$?
        echo "$before $peer $after $([ $at = $size ] || echo $sound $later)"
        at=$((at + 97)); [ $at -gt $size ] && [ $at -lt $((size + 97)) ] && at=$size
      done | sort -u | sed 's/ *$//'
      """#)
    try place.follow(
      """
      $ sh cut.sh
      0 0 0 1 1
      0 0 1 1 1
      0 0 2 1 1
      0 0 3 1 1
      0 0 4 1 1
      5 5 5
      """)
  }

  // MARK: - Repair

  /// Writes the script `flip FILE LINE`, which flips one bit in the middle of a line.
  private func writeFlip() throws {
    try place.script(
      "flip",
      #"""
      at=$(head -n $(($2 - 1)) "$1" | wc -c); at=$((at + 60))
      byte=$(od -An -tu1 -j $at -N 1 "$1" | tr -d ' ')
      printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek=$at conv=notrunc 2> /dev/null
      """#)
  }

  /// Makes three copies of a journal with three devices: `a.jsonl`, `b.jsonl`, `c.jsonl`.
  private func makeThree() throws {
    try writeFlip()
    try place.follow(
      """
      $ for by in 1 2 3 4 5; do eventlog append a.jsonl completion.advanced read by=$by; done > id
      $ (eventlog sync b.jsonl a.jsonl; eventlog sync c.jsonl a.jsonl) > out 2> err
      $ eventlog append b.jsonl --device tablet profile.updated firstName=Ada > id
      $ eventlog append c.jsonl --device desk profile.updated lastName=Lovelace > id
      $ (eventlog sync a.jsonl b.jsonl; eventlog sync c.jsonl a.jsonl) > out
      $ eventlog sync a.jsonl b.jsonl > out
      $ eventlog project a.jsonl --json > whole
      $ for j in a b c; do eventlog project $j.jsonl --json | cmp whole -; done
      """)
  }

  @Test func `three damaged copies repair each other by syncs in a ring`() throws {
    try makeThree()
    try place.follow(
      """
      $ ./flip a.jsonl 3; ./flip b.jsonl 5; ./flip c.jsonl 6
      $ for j in a b c; do eventlog verify $j.jsonl > out; echo $?; cp $j.jsonl $j.before; done
      1
      1
      1
      $ for run in 1 2; do for pair in 'a b' 'b c' 'c a'; do set -- $pair; \
      eventlog sync $1.jsonl $2.jsonl; done; done > out 2> err; echo $?
      0
      $ grep -c 'that was missing here was restored' err
      1
      $ for j in a b c; do eventlog project $j.jsonl --json | cmp whole -; \
      eventlog verify $j.jsonl | grep -o 'so nothing is lost'; \
      head -c $(stat -c %s $j.before) $j.jsonl | cmp - $j.before; done
      so nothing is lost
      so nothing is lost
      so nothing is lost
      $ eventlog verify a.jsonl b.jsonl c.jsonl > out; echo $?
      0
      """)
  }

  @Test func `a damaged copy accepts appends and lost events that reappear later`() throws {
    try makeThree()
    try place.follow(
      """
      $ ./flip a.jsonl 4 && cp a.jsonl before
      $ eventlog project a.jsonl profile 2> err
      Profile
        firstName  Ada
        lastName   Lovelace
      $ grep -c '^Warning: a.jsonl:4: .*eventlog repair a.jsonl --from OTHER, or eventlog sync' err
      1
      $ grep -c . err
      1
      $ eventlog verify a.jsonl > out; echo $?; grep -o 'gap: phone' out
      1
      gap: phone
      $ eventlog append a.jsonl completion.advanced read by=100 2> err | sed 's/-[a-z2-7]*//'
      phone:8  habit/read
      $ eventlog repair a.jsonl --accept-loss | sed 's/-[a-z2-7]*:/:/'
        accepted as lost  1 event  phone:4
      a.jsonl: 1 missing event was given up.
      $ eventlog verify a.jsonl > out; echo $?; grep -c 'note: ' out
      0
      2
      $ eventlog sync new.jsonl a.jsonl > out 2> err; eventlog verify new.jsonl > out; echo $?
      0
      $ eventlog project a.jsonl --json > one; eventlog project new.jsonl --json | cmp one -
      $ eventlog sync new.jsonl b.jsonl 2> err > out; sed 's/-[a-z2-7]*:/:/' err
      Note: 1 event that was missing here was restored: phone:4.
      $ eventlog sync a.jsonl new.jsonl > out 2> err
      $ eventlog project a.jsonl completions | tail -n 1
        2026-01-28  Read   115       20    done
      $ head -c $(stat -c %s before) a.jsonl | cmp - before
      """)
  }

  @Test func `each verb continues in spite of damage and prints one warning`() throws {
    try makeThree()
    _ = try place.shell("./flip a.jsonl 4; cp a.jsonl before")
    for (verb, code) in [
      ("replay a.jsonl", 0), ("replay a.jsonl --json", 0), ("project a.jsonl --json", 0),
      ("why a.jsonl read name", 0), ("conflicts a.jsonl --check", 0), ("status a.jsonl", 0),
      ("diff a.jsonl b.jsonl", 1), ("repair a.jsonl --from before.jsonl", 2),
    ] {
      let run = try place.shell("eventlog \(verb)")
      #expect(run.code == code, "\(verb): \(run.errorText)")
      guard code != 2 else { continue }
      let lines = run.errorText.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("Warning: a.jsonl:4: "), "\(verb)")
      #expect(lines[0].contains("eventlog repair") && lines[0].contains("eventlog sync"), "\(verb)")
    }
    try #expect(place.read("a.jsonl") == place.read("before"))
  }

  // MARK: - Order

  @Test func `lines in any order or repeated are the same journal`() throws {
    try makeThree()
    try place.follow(
      """
      $ tac a.jsonl > r.jsonl; shuf a.jsonl > s.jsonl; cat b.jsonl c.jsonl > t.jsonl
      $ for j in r s t; do eventlog project $j.jsonl --json | cmp whole -; \
      eventlog verify $j.jsonl > out || echo damaged; eventlog diff $j.jsonl a.jsonl; done
      r.jsonl and a.jsonl contain the same events.
      s.jsonl and a.jsonl contain the same events.
      t.jsonl and a.jsonl contain the same events.
      """)
  }
}
