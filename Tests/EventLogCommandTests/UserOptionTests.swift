import Testing

/// A file with the journals of two users, which needs the option `--user`.
@Suite struct UserOptionTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada settings.changed theme=dark > id
      $ eventlog append ben.jsonl --user ben settings.changed theme=light > id
      $ cat ada.jsonl ben.jsonl > both.jsonl
      """)
  }

  @Test(arguments: [
    "project both.jsonl", "replay both.jsonl", "why both.jsonl settings theme", "status both.jsonl",
    "conflicts both.jsonl", "diff both.jsonl ada.jsonl", "append both.jsonl settings.changed a=1",
    "sync both.jsonl ada.jsonl",
  ])
  func `verbs refuse a file of several users with a hint about --user`(_ arguments: String) throws {
    let before = try workplace.read("both.jsonl")
    let run = try workplace.shell("eventlog \(arguments)")
    #expect(run.code == 2, "\(run.text)")
    #expect(run.errorText.contains("contains events of several users"), "\(run.errorText)")
    #expect(run.errorText.hasSuffix("Hint: Specify the user: --user NAME.\n"), "\(run.errorText)")
    try #expect(workplace.read("both.jsonl") == before)
  }

  @Test func `with --user, one user's events count, and verify reports the other's line`() throws {
    try workplace.follow(
      """
      $ eventlog project both.jsonl settings --user ada 2> err
      Settings
        theme  dark
      $ eventlog project both.jsonl settings --user ben 2> err
      Settings
        theme  light
      $ eventlog verify both.jsonl --user ada | grep -c otherUser
      1
      """)
  }
}
