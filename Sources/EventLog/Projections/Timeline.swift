/// The values of a field, by the first days to which they apply.
package struct Timeline: Sendable {
  /// A value and the first day to which it applies, or nil for the beginning.
  package struct Step: Sendable, Hashable {
    package let from: Day?
    /// The value, or `null` if the field is shown as absent.
    package let value: JSONValue
  }

  /// The steps, sorted by their days. The first one applies from the beginning.
  package let steps: [Step]

  fileprivate init(_ steps: [Step]) {
    self.steps =
      steps.first?.from == nil && !steps.isEmpty ? steps : [Step(from: nil, value: .null)] + steps
  }

  /// The value on a day, or at the beginning if the day is nil.
  package func value(on day: Day?) -> JSONValue {
    guard let day else { return steps[0].value }
    return steps[steps.partitioningIndex { $0.from.map { $0 > day } ?? false } - 1].value
  }

  /// The steps from the first one whose value differs in `other`, to write this timeline over it.
  package func steps(unlike other: Timeline) -> [Step] {
    // A step of `other` whose value doesn't apply here needs one of its own.
    let added = other.steps.filter { step in !steps.contains { $0.from == step.from } }
      .map { Step(from: $0.from, value: value(on: $0.from)) }
    let all = (steps + added).sorted { $0.isBefore($1) }
    guard let first = all.firstIndex(where: { other.value(on: $0.from) != $0.value }) else {
      return []
    }
    return all[first...].enumerated().filter { index, step in
      index == 0 || steps.contains { $0.from == step.from }
    }.map(\.element)
  }
}

extension Timeline.Step {
  fileprivate func isBefore(_ other: Timeline.Step) -> Bool {
    guard let day = other.from else { return false }
    return from.map { $0 < day } ?? true
  }
}

extension Fold {
  /// The values of a row's field. Without days, the shown value applies from the beginning.
  package func timeline(of field: Int32, row: Int32, _ ledger: Ledger) -> Timeline {
    let register = findRegister(row, field)
    if register < 0 { return Timeline([]) }
    let entries = datedValues.entries(of: register)
    if entries.isEmpty {
      return Timeline([
        .init(from: nil, value: readable(shownJSON(Int(register), ledger), register))
      ])
    }
    var shown: [DatedValues.Entry] = []
    for entry in entries.sorted(by: { $0.from < $1.from }) {
      if let last = shown.last, last.from == entry.from {
        if entry.dot.isLater(than: last.dot, ledger) { shown[shown.count - 1] = entry }
      } else {
        shown.append(entry)
      }
    }
    return Timeline(
      shown.map { entry in
        Timeline.Step(
          from: DatedValues.day(entry.from),
          value: readable(JSONValue(canonical: datedValues.bytes(entry)), register))
      })
  }

  /// The writes whose values a register still shows on some day, or whose values are live.
  package func shownWrites(of register: Int) -> [Dot] {
    let entries = datedValues.entries(of: Int32(register))
    return entries.isEmpty
      ? registers.liveValues(register).map(\.dot) : entries.map(\.dot)
  }

  /// The value of a register, or `null` if it can't be read.
  private func readable(_ value: JSONValue, _ register: Int32) -> JSONValue {
    doubtfulRegisters.contains(register) && breaksRule(value, Int(register)) ? .null : value
  }

  /// The day from which a live write of a register applies, or nil for the beginning.
  func from(of dot: Dot, register: Int32) -> Day? {
    datedValues.entries(of: register).first { $0.dot == dot }.flatMap {
      DatedValues.day($0.from)
    }
  }

  /// The rules of the days of a row's entity.
  func dayRules(
    ofRow row: Int32, _ section: Presentation.DaySection, _ ledger: Ledger
  ) -> DayRules {
    func timeline(_ name: String?) -> Timeline {
      let field = name.flatMap { fieldNames.find($0) }
      return field.map { self.timeline(of: Int32($0), row: row, ledger) } ?? Timeline([])
    }
    let goals = timeline(section.goalField)
    let targets = timeline(section.targetField)
    let periods = timeline(section.periodField)
    let schedules = timeline(section.scheduleField)
    let days = Set([goals, targets, periods, schedules].flatMap { $0.steps.compactMap(\.from) })
    return DayRules(
      ([nil] + days.sorted()).map { day in
        DayRules.Change(
          from: day,
          rule: DayRules.Rule(
            goal: goals.value(on: day).amount, isLimit: targets.value(on: day) == "atMost",
            period: periods.value(on: day).period, schedule: schedules.value(on: day).schedule))
      })
  }
}

extension DatedValues {
  fileprivate static func day(_ number: Int32) -> Day? {
    number == beginning ? nil : Day(number: number)
  }
}

extension JSONValue {
  fileprivate var amount: Amount? {
    if case .number(let number) = self { Amount(number) } else { nil }
  }

  fileprivate var period: Int64? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  fileprivate var schedule: Schedule? {
    if case .string(let text) = self { Schedule(text) } else { nil }
  }
}

extension Snapshot {
  /// The values of a field, by the first days to which they apply.
  ///
  /// - Parameter place: The kind of a singleton, or `<kind>/<key>` for an entity.
  package func timeline(of field: String, in place: String) -> Timeline {
    guard let row = row(at: place), let number = fieldNumber(field) else { return Timeline([]) }
    return fold.timeline(of: number, row: row, ledger)
  }

  /// The rules of an entity's days.
  package func dayRules(of entity: EntityID, _ section: Presentation.DaySection) -> DayRules {
    row(at: entity.description).map { fold.dayRules(ofRow: $0, section, ledger) } ?? DayRules([])
  }
}
