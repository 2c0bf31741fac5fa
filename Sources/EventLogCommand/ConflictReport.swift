import EventLog

/// Prints a conflict for people.
struct ConflictReport {
  let conflict: Conflict
  /// Whether its entity is deleted.
  var isDeleted = false
  let console: Console

  /// The maximum number of candidates listed; the others are only counted.
  private static let candidatesMax = 20

  /// The listed candidates: the shown one, then the first others.
  private var candidates: [Conflict.Candidate] {
    if conflict.candidates.count <= Self.candidatesMax { return conflict.candidates }
    let shown = conflict.candidates.filter { $0.event == conflict.shown }.prefix(1)
    let others = conflict.candidates.filter { $0.event != conflict.shown }
    return Array(shown + others.prefix(Self.candidatesMax - shown.count))
  }

  /// Prints the conflict and its candidates, and marks the shown one.
  ///
  /// - Parameters:
  ///   - path: The journal. If given, each candidate is followed by the command that takes it.
  ///   - side: Returns the side that contributed a candidate.
  func print(
    resolvingIn path: String? = nil, side: ((FullEventID) -> String)? = nil
  ) throws {
    let base = conflict.base.map { ", was \(EntityTable.text($0))" } ?? ""
    let mark = isDeleted ? " (deleted)" : ""
    try console.print("  \(console.styled(Visible.text(conflict.id), .yellow))\(mark)\(base)")
    let candidates = candidates
    var table = Table()
    for candidate in candidates {
      table.add(
        (side.map { [$0(candidate.fullID)] } ?? []) + [
          conflict.shown == candidate.event ? "shown" : "", EntityTable.text(candidate.value),
          candidate.event.description, console.styled(candidate.at.description, .dim),
        ])
    }
    let lines = table.lines(console, indent: "    ")
    for (line, candidate) in zip(lines, candidates) {
      try console.print(line)
      if let path, let command = command(taking: candidate, in: path) {
        try console.print("      " + console.styled(command, .dim))
      }
    }
    if candidates.count < conflict.candidates.count {
      let count = conflict.candidates.count - candidates.count
      try console.print("    and \(count) more candidates; --json lists them all")
    }
    if let path, !Visible.isWhole(path + conflict.id) {
      try console.print(
        "      "
          + console.styled(
            "Its ID cannot be typed: it contains invisible characters. eventlog resolve"
              + " \(ShellWord.path(path)) --all --prefer=latest keeps the latest value of each"
              + " conflict.",
            .dim))
    }
  }

  /// The command that takes a candidate over all others, with `--over` only if all are listed.
  private func command(taking candidate: Conflict.Candidate, in path: String) -> String? {
    let words = [
      "eventlog", "resolve", ShellWord.nonOption(path), conflict.id, "--take",
      candidate.event.description,
    ]
    if conflict.candidates.count > Self.candidatesMax {
      return ShellWord.command(words + console.context)
    }
    let others = conflict.candidates.map(\.event).filter { $0 != candidate.event }
    return ShellWord.command(
      words + ["--over", others.map(\.description).joined(separator: ",")] + console.context)
  }
}
