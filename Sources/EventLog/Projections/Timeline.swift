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

  /// The dated values that a write of a register would replace at least in part.
  func datedValues(
    of register: Int32, from: Int32, _ rank: WriteRank
  ) -> [(dot: Dot, value: JSONValue)] {
    let entries = datedValues.entries(of: register)
    let current = entries.lazy.map(\.from).filter { $0 <= from }.max() ?? from
    return entries.filter { $0.from >= current && $0.low <= rank.high }
      .map { ($0.dot, JSONValue(canonical: datedValues.bytes($0))) }
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

  /// The fields by which days are completed, or −1 for a field that was never written.
  struct RuleFields {
    var goal: Int32
    var target: Int32
    var period: Int32
    var schedule: Int32
  }

  func ruleFields(_ section: Presentation.DaySection) -> RuleFields {
    func number(_ name: String?) -> Int32 {
      name.flatMap { fieldNames.find($0) }.map { Int32($0) } ?? -1
    }
    return RuleFields(
      goal: number(section.goalField), target: number(section.targetField),
      period: number(section.periodField), schedule: number(section.scheduleField))
  }

  /// The rules of the days of a row's entity.
  ///
  /// - Parameter registers: Those of the fold. A caller in a loop passes its own, because each
  ///   access to a boxed member copies it.
  func dayRules(
    ofRow row: Int32, _ fields: RuleFields, _ registers: Registers, _ ledger: Ledger
  ) -> DayRules {
    /// The field's value from the beginning, or nil if it has values for days.
    func single(_ field: Int32) -> JSONValue? {
      let register = field < 0 ? -1 : findRegister(row, field)
      if register < 0 { return .null }
      if datedValues.hasEntries(register) { return nil }
      let shown = registers.bytes(registers.shown(Int(register), ledger))
      return readable(JSONValue(canonical: shown), register)
    }
    if let goal = single(fields.goal), let target = single(fields.target),
      let period = single(fields.period), let schedule = single(fields.schedule)
    {
      return DayRules([.init(from: nil, rule: .init(goal, target, period, schedule))])
    }
    func timeline(_ field: Int32) -> Timeline {
      field < 0 ? Timeline([]) : self.timeline(of: field, row: row, ledger)
    }
    let (goals, targets) = (timeline(fields.goal), timeline(fields.target))
    let (periods, schedules) = (timeline(fields.period), timeline(fields.schedule))
    let days = Set([goals, targets, periods, schedules].flatMap { $0.steps.compactMap(\.from) })
    return DayRules(
      ([nil] + days.sorted()).map { day in
        DayRules.Change(
          from: day,
          rule: .init(
            goals.value(on: day), targets.value(on: day), periods.value(on: day),
            schedules.value(on: day)))
      })
  }
}

extension DayRules.Rule {
  fileprivate init(
    _ goal: JSONValue, _ target: JSONValue, _ period: JSONValue, _ schedule: JSONValue
  ) {
    self.init(
      goal: goal.amount, isLimit: target == "atMost", period: period.period,
      schedule: schedule.schedule)
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
    row(at: entity.description).map {
      fold.dayRules(ofRow: $0, fold.ruleFields(section), fold.registers, ledger)
    } ?? DayRules([])
  }
}
