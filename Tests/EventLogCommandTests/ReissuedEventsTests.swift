import EventLog
import EventLogTesting
import Testing

/// Events that two have issued again, as a person meets them.
@Suite struct ReissuedEventsTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func `an event that was issued again twice counts once, and replay tells`() throws {
    var history = History(user: "ada")
    for name in ["again", "anew"] {
      let device = history.device(name)
      history.append(
        device,
        EventDraft(
          at: Timestamp("2026-01-28T12:00:00Z"), type: "completion.advanced",
          entity: EntityID("habit/read"), data: ["date": "2026-01-28", "by": 3]),
        was: "phone-aaaaaaaa:7/0123456789abcdef")
    }
    try history.write(to: place.file("ada.jsonl"))
    try place.follow(
      """
      $ eventlog replay ada.jsonl --type 'completion.*'
      2026-01-28T12:00:00.000Z  again-aaaaaaaa:2  completion.advanced  habit/read  \
      date=2026-01-28  by=3  was phone-aaaaaaaa:7
      2026-01-28T12:00:00.000Z  anew-aaaaaaaa:2  completion.advanced  habit/read  \
      date=2026-01-28  by=3  was phone-aaaaaaaa:7, counted already
      $ eventlog project ada.jsonl --json completions | grep -o '"progress":.'
      "progress":3
      $ eventlog why ada.jsonl read@2026-01-28 progress --json | grep -o '"event":"[^"]*"'
      "event":"again-aaaaaaaa:2"
      $ eventlog status ada.jsonl --json | grep -o '"eventCount":4,"f'
      "eventCount":4,"f
      """)
  }
}
