/// Says how often a test has tried something: the figures of `Docs/Internals/Reliability.md`.
enum Counted {
  static func note(_ count: Int, _ what: String) { print("counted: \(count) \(what)") }
}
