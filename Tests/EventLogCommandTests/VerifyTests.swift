import Testing

/// The output of `verify`.
@Suite struct VerifyTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  @Test func `the first three notes of each kind are printed, and the others are counted`() throws {
    try workplace.follow(
      """
      $ for i in $(seq 1234); do echo '{"type":"mood.noted","data":{"n":'$i'}}'; done > in
      $ eventlog append a.jsonl --user ada - --force < in > out
      $ eventlog verify a.jsonl | sed 's/byte [0-9]*/byte N/; s/in [0-9]* bytes/in N bytes/'
      a.jsonl:2: byte N: note: Unknown type "mood.noted"; the event is kept, but changes \
      no field.
      a.jsonl:3: byte N: note: Unknown type "mood.noted"; the event is kept, but changes \
      no field.
      a.jsonl:4: byte N: note: Unknown type "mood.noted"; the event is kept, but changes \
      no field.
      … and 1,231 more unknownType notes.
      a.jsonl: sound, 1235 events from 1 device in N bytes.
      ! Note: --schema FILE declares types that are not built in.
      $ eventlog verify a.jsonl --json | grep -o '"code":"unknownType"' | wc -l
      1234
      """)
  }

  @Test func `verify accepts the types that only the store writes`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada settings.changed a=1 > id
      $ for a in 2 3; do eventlog append a.jsonl settings.changed a=$a; done > id
      $ sed 3d a.jsonl > x && cat x > a.jsonl && eventlog repair a.jsonl --accept-loss > out
      $ eventlog verify a.jsonl | grep -c 'Unknown type'
      0
      ? 1
      $ eventlog types device.lost
      ! Error: The type "device.lost" is written only by the store and cannot be appended.
      ! Hint: eventlog types lists the types that can be appended.
      ? 2
      """)
  }
}
