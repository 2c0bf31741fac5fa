import EventLog

/// Finds what an event wrote of one field, by the rules of its type.
struct FieldWrites: LineSink, Sendable {
  struct Found: Sendable {
    /// The members of `data` that write the field, spelled as in a line.
    var members: Set<[UInt8]> = []
    /// Whether the event is only about the field, as inclusions in a set are.
    var isWhole = false
    /// The members that the event added to the set, if it did nothing else to it.
    var included: [String]?
    /// The other fields that the event writes.
    var others: [Int32] = []
  }

  /// A copy of the state, used only for planning events.
  private var fold: Fold
  private let row: Int32
  private let field: Int32
  /// Whether the line that was checked last is a valid event, and what it wrote of the field.
  private var last: Found?

  /// Returns nil if nothing was written at the place.
  init?(_ state: Snapshot, _ field: String, in place: String) {
    guard let row = state.row(at: place),
      let number = state.fold.fieldNames.find(StringSpelling.spelled(field.utf8))
    else { return nil }
    (fold, self.row, self.field) = (state.fold, row, Int32(number))
  }

  /// Returns nil for an event of an unknown type, or one that breaks a rule of its type.
  mutating func find(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Found? {
    guard let (type, _, written) = fold.planned(layout, canonical) else { return nil }
    var found = Found()
    if written != row { return found }
    for (assigned, _, _) in fold.compiled.types[type].assigns {
      // The value is in the type, so only the whole event can go.
      if assigned == field { found.isWhole = true } else { found.others.append(assigned) }
    }
    for step in fold.steps {
      switch step.action {
      case .ignore, .day, .from, .key: break
      case .write, .set, .advance:
        if step.field == field {
          found.members.insert(canonical.copy(layout.members[Int(step.member)].name))
        } else {
          found.others.append(step.field)
        }
      case .include, .exclude:
        guard let set = fold.plannedSetField(layout, canonical) else { continue }
        let member = layout.members[Int(step.member)]
        let texts = StepPlanner.texts(canonical, member).texts
        if texts.isEmpty { continue }
        guard set == field else {
          found.others.append(set)
          continue
        }
        let isFirst = !found.isWhole
        found.isWhole = true
        found.included = isFirst && step.action == .include ? texts : nil
      }
    }
    return found
  }

  /// Whether a line is a valid event of its type.
  mutating func isValid(_ line: [UInt8]) -> Bool {
    check(line)
    return last != nil
  }

  /// Whether a line is an event that writes the field.
  mutating func isWrite(_ line: [UInt8]) -> Bool {
    check(line)
    return last.map { $0.isWhole || !$0.members.isEmpty } ?? false
  }

  private mutating func check(_ line: [UInt8]) {
    last = nil
    var scanner = LineScanner()
    scanner.scan(line + [0x0A], at: 0, number: 1, into: &self)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) { last = find(layout, canonical) }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
