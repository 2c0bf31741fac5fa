/// Prints the number of cases that a test has tried, for `Docs/Internals/Reliability.md`.
enum Counted {
  static func note(_ count: Int, _ what: String) { print("counted: \(count) \(what)") }
}
