import EventLog

/// A conflict as a person reads it.
struct ConflictReport {
  let conflict: Conflict
  /// Whether it is about something that is deleted.
  var isDeleted = false
  let console: Console

  /// Prints the conflict and its candidates, the shown one marked.
  ///
  /// - Parameters:
  ///   - path: the journal; where it is given, each candidate is followed by the command that
  ///     settles the conflict by it.
  ///   - side: on which side of a replication a candidate stood.
  func print(
    settlingIn path: String? = nil, side: ((FullEventID) -> String)? = nil
  ) throws {
    let base = conflict.base.map { ", was \(EntityTable.text($0))" } ?? ""
    let mark = isDeleted ? " (deleted)" : ""
    try console.print("  \(console.styled(Visible.text(conflict.id), .yellow))\(mark)\(base)")
    var table = Table()
    for candidate in conflict.candidates {
      table.add(
        (side.map { [$0(candidate.fullID)] } ?? []) + [
          conflict.shown == candidate.event ? "shown" : "", EntityTable.text(candidate.value),
          candidate.event.description, console.styled(candidate.at.description, .dim),
        ])
    }
    let lines = table.lines(console, indent: "    ")
    for (line, candidate) in zip(lines, conflict.candidates) {
      try console.print(line)
      if let path, let command = command(taking: candidate, in: path) {
        try console.print("      " + console.styled(command, .dim))
      }
    }
    if let path, !Visible.isWhole(path + conflict.id) {
      try console.print(
        "      "
          + console.styled(
            "No command can name it: it holds characters that do not show. eventlog resolve"
              + " \(ShellWord.path(path)) --all-latest keeps what shows.", .dim))
    }
  }

  /// The command that takes a candidate over all others that are shown.
  private func command(taking candidate: Conflict.Candidate, in path: String) -> String? {
    let others = conflict.candidates.map(\.event).filter { $0 != candidate.event }
    return ShellWord.command(
      ["eventlog", "resolve", ShellWord.noOption(path), conflict.id]
        + ["--take", candidate.event.description]
        + ["--over", others.map(\.description).joined(separator: ",")])
  }
}
