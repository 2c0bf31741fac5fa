import Foundation
import Testing

/// `serve` without a sync.
@Suite struct ServeTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      "$ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id")
  }

  @Test func `serve prints only the protocol and ends with its input`() throws {
    try workplace.follow(
      """
      $ eventlog serve a.jsonl < /dev/null
      $ echo '{"hello":{"protocols":[1],"user":"ada"}}' | eventlog serve a.jsonl
      {"welcome":{"protocol":1,"schema":null,"contents":true}}
      """)
  }

  @Test func `serve reports an error to both sides`() throws {
    try workplace.follow(
      """
      $ echo hello | eventlog serve a.jsonl
      {"error":{"code":"remoteFailed","message":"The initiator sent something that is not the \
      eventlog protocol: \\"hello\\". Events transferred so far are kept."}}
      ! Error: The initiator sent something that is not the eventlog protocol: "hello". Events \
      transferred so far are kept.
      ? 2
      $ eventlog serve
      ! Error: eventlog serve needs the path of a journal.
      ! Hint: eventlog help serve shows its usage.
      ? 2
      """)
  }

  @Test(.enabled(if: Machine.hasTerminal, "script makes no terminal here"))
  func `serve refuses to run on a terminal`() throws {
    let run = try workplace.shell("script -qec 'eventlog serve a.jsonl' /dev/null < /dev/null")
    #expect(run.code == 2)
    #expect(run.text.contains("talks to another eventlog, not to a person."))
    #expect(run.text.contains("eventlog sync JOURNAL HOST:a.jsonl"))
  }
}
