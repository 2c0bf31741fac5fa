import EventLogTesting
import Testing

@testable import EventLogCommand

/// Values that are too long for a row.
@Suite struct LongValueTests {
  @Test func `a value that fits is printed whole, and a longer one ends with an ellipsis`() {
    let whole = String(repeating: "x", count: Table.valueMax)
    #expect(Table.cut(whole) == whole)
    #expect(Table.cut(whole + "x") == whole.dropLast() + "…")
    // Each character takes two columns.
    #expect(Table.cut(String(repeating: "界", count: 30)) == String(repeating: "界", count: 30))
    #expect(Table.cut(String(repeating: "界", count: 31)) == String(repeating: "界", count: 29) + "…")
  }

  @Test func `a table truncates a long name, and JSON doesn't`() throws {
    let workplace = try Workplace()
    let long = String(repeating: "x", count: 200)
    let cut = String(repeating: "x", count: 59) + "…"
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created a name=\(long) > out
      $ eventlog append a.jsonl completion.advanced a by=1 date=2026-01-02 > out
      $ eventlog append a.jsonl food.created b name=\(long) kcal=7 > out
      $ eventlog project a.jsonl habits completions foods
      Habits
        key  name\(String(repeating: " ", count: 58))goal  schedule  last completed  streak
        a    \(cut)  1     1/1       2026-01-02      1

      Completions
        date        habit\(String(repeating: " ", count: 57))progress  goal
        2026-01-02  \(cut)  1         1     done

      Foods
        key  name\(String(repeating: " ", count: 58))kcal
        b    \(cut)  7
      $ eventlog project a.jsonl foods --json | grep -c \(long)
      1
      """)
  }
}
