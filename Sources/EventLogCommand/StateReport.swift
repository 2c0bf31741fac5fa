import EventLog
import EventLogCollections
import EventLogInspection

/// Prints a snapshot for people.
struct StateReport {
  let snapshot: Snapshot
  let schema: AppliedSchema
  /// The journal, for printed commands.
  let path: String
  /// The options that select the part of the journal, for printed commands.
  var options = ""
  /// The day up to which streaks count.
  let today: Day
  let console: Console
  private let separator = Separator()

  init(
    snapshot: Snapshot, schema: AppliedSchema, path: String, options: String = "", today: Day,
    console: Console
  ) {
    self.snapshot = snapshot
    self.schema = schema
    self.path = path
    self.options = options
    self.today = today
    self.console = console
  }

  /// Prints the sections; if nil, the main ones and those of the core with content, with only the
  /// number of days.
  func print(sections: Set<String>?) throws {
    let wanted = sections ?? defaultSections
    for collection in snapshot.catalog.collections {
      if collection.isSingleton {
        if wanted.contains(collection.section) { try singleton(collection) }
        continue
      }
      let daySection = collection.presentation.daySection
      let hasDays = daySection.map { wanted.contains($0.section) } ?? false
      guard wanted.contains(collection.section) || hasDays else { continue }
      let entities = snapshot.entities(
        collection.kind, includingDeleted: snapshot.includesDeleted)
      if wanted.contains(collection.section) { try list(entities, collection) }
      if let daySection, hasDays {
        if sections == nil {
          try countDays(entities, daySection)
        } else {
          try days(entities, daySection)
        }
      }
    }
    if wanted.contains("conflicts") { try conflicts() }
    if sections == nil {
      try printOtherSections()
      try separator.print(to: console)
      try console.print(
        "\(plural(snapshot.eventCount, "event")) from"
          + " \(plural(Set(snapshot.frontier.tips.map(\.device)).count, "device")), user"
          + " \(snapshot.user ?? (snapshot.eventCount == 0 ? "none yet" : "unknown"))"
          + (options.isEmpty ? "" : " (\(options.dropFirst()))"))
    }
  }

  private var defaultSections: Set<String> {
    let main = Set(schema.mainSections)
    return snapshot.nonemptySections(besides: main)
      .intersection(SchemaCatalog.standard.sections).union(main)
  }

  /// Prints a blank line before each part except the first.
  private final class Separator {
    private var isFirst = true

    func print(to console: Console) throws {
      if !isFirst { try console.print() }
      isFirst = false
    }
  }

  private func heading(_ text: String) throws {
    try separator.print(to: console)
    try console.print(console.styled(text, .bold))
  }

  private func print(_ table: Table) throws {
    for line in table.lines(console) { try console.print(line) }
  }

  private func printNone() throws { try console.print(console.styled("  none", .dim)) }

  // MARK: - Sections

  private func singleton(_ collection: CollectionSchema) throws {
    try heading(capitalized(collection.section))
    var table = Table()
    for field in snapshot.singleton(collection.kind) {
      guard let value = field.shown else { continue }
      table.add([Visible.text(field.name), text(value) + mark(field.isContested)])
    }
    try table.isEmpty ? printNone() : print(table)
  }

  private func list(_ entities: [ProjectedEntity], _ collection: CollectionSchema) throws {
    try heading(capitalized(collection.section))
    guard !entities.isEmpty else { return try printNone() }
    guard let section = collection.presentation.daySection else {
      let tables = EntityTable(collection: collection, console: console)
      try print(tables.entities(entities))
      let days = tables.days(entities)
      if !days.isEmpty {
        try heading("\(capitalized(collection.section)), day by day")
        try print(days)
      }
      return
    }
    var table = Table(["key", "name", "goal", "schedule", "last completed", "streak", ""])
    for entity in entities {
      let tally = tally(of: entity, section)
      var marks: [String] = []
      if entity.isDeleted { marks.append("deleted") }
      if entity["archived"] == true { marks.append("archived") }
      if !entity.contested.isEmpty {
        marks.append("contested: \(entity.contested.map(Visible.text).joined(separator: ", "))")
      }
      table.add([
        entity.id.key, entity["name"].map(EntityTable.cell) ?? "",
        goal(section.rule(of: entity)),
        entity[section.scheduleField].map(text) ?? "1/1",
        tally.lastCompleted?.description ?? "never", String(tally.streak),
        console.styled(marks.joined(separator: "; "), .yellow),
      ])
    }
    try print(table)
  }

  private func tally(
    of entity: ProjectedEntity, _ section: Presentation.DaySection
  ) -> DayTally {
    DayTally(entity, section, snapshot.dayRules(of: entity.id, section), today: today)
  }

  /// A goal, such as `at most 30 in 7 days`.
  private func goal(_ rule: DayRules.Rule) -> String {
    (rule.isLimit ? "at most " : "") + rule.goal.number.text
      + (rule.period > 1 ? " in \(rule.period) days" : "")
  }

  /// Prints the other sections that have content.
  private func printOtherSections() throws {
    let printed = defaultSections
    var nonempty: [(section: String, count: String)] = []
    for collection in snapshot.catalog.collections where !printed.contains(collection.section) {
      let count = snapshot.count(of: collection)
      guard count > 0 else { continue }
      nonempty.append((collection.section, "\(collection.section) (\(count))"))
    }
    guard !nonempty.isEmpty else { return }
    try separator.print(to: console)
    try console.print("Also \(nonempty.map(\.count).joined(separator: ", ")). To list them:")
    try console.print(
      "  eventlog project \(ShellWord.path(path)) \(nonempty.map(\.section).joined(separator: " "))"
        + options + ShellWord.contextOptions(console))
  }

  private func countDays(
    _ entities: [ProjectedEntity], _ section: Presentation.DaySection
  ) throws {
    try heading(capitalized(section.section))
    let days = entities.flatMap(\.days).map(\.day)
    guard let first = days.min(), let last = days.max() else { return try printNone() }
    let completed = entities.reduce(0) { count, entity in
      count + tally(of: entity, section).completed.count
    }
    let span = first == last ? "\(first)" : "\(first) to \(last)"
    try console.print(
      "  \(completed) of \(plural(days.count, "recorded day")) completed, \(span). To list"
        + " \(days.count == 1 ? "it" : "them"):")
    try console.print(
      "  eventlog project \(ShellWord.path(path)) \(section.section)\(options)"
        + ShellWord.contextOptions(console)
    )
  }

  private func days(_ entities: [ProjectedEntity], _ section: Presentation.DaySection) throws {
    try heading(capitalized(section.section))
    var table = Table(["date", section.entityMember, "progress", "goal", "", ""])
    var rows: [(Day, [String])] = []
    for entity in entities {
      let tally = tally(of: entity, section)
      let completed = Set(tally.completed)
      for day in entity.days {
        var marks = entity.isDeleted ? ["deleted"] : []
        if let reason = section.skipField.flatMap({ day[$0] }) {
          marks.append("skipped: \(text(reason))")
        }
        if !day.contested.isEmpty {
          marks.append("contested: \(day.contested.map(Visible.text).joined(separator: ", "))")
        }
        rows.append(
          (
            day.day,
            [
              day.day.description, entity["name"].map(EntityTable.cell) ?? entity.id.key,
              day[section.progressField].map(text) ?? "", goal(tally.rules.rule(on: day.day)),
              completed.contains(day.day) ? console.styled("done", .green) : "",
              console.styled(marks.joined(separator: "; "), .yellow),
            ]
          ))
      }
    }
    rows.sort { $0.0 < $1.0 }
    for row in rows { table.add(row.1) }
    try table.isEmpty ? printNone() : print(table)
  }

  private func conflicts() throws {
    try heading("Conflicts")
    guard !snapshot.conflicts.isEmpty else { return try printNone() }
    for conflict in snapshot.conflicts {
      let entity = EntityID(String(conflict.entity.prefix { $0 != "@" }))
      try ConflictReport(
        conflict: conflict, isDeleted: entity.map(snapshot.isHidden) ?? false, console: console
      ).print()
    }
  }

  // MARK: - Words

  private func mark(_ isContested: Bool) -> String {
    isContested ? console.styled("  (contested)", .yellow) : ""
  }

  private func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private func text(_ value: JSONValue) -> String { EntityTable.text(value) }
}

extension Snapshot {
  /// The number of entities of a collection, or of shown fields of a singleton.
  fileprivate func count(of collection: CollectionSchema) -> Int {
    collection.isSingleton
      ? singleton(collection.kind).count { $0.shown != nil }
      : entities(collection.kind, includingDeleted: includesDeleted).count
  }

  /// The sections of the collections with content, apart from the given ones.
  ///
  /// - Complexity: O(content of these collections).
  func nonemptySections(besides sections: Set<String>) -> Set<String> {
    Set(
      catalog.collections.filter { !sections.contains($0.section) && count(of: $0) > 0 }
        .flatMap(\.sections))
  }
}
