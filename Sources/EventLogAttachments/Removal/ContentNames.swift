import EventLog

/// Collects which events name which contents while it folds them.
struct ContentNames: EventSink {
  /// A write of a register that names a content.
  struct Name: Sendable, Hashable {
    var point: Ledger.Point
    var row: Int32
    var field: Int32
  }

  @Boxed private(set) var fold: Fold
  /// The writes that name a content, by its hash.
  private(set) var names: [String: Set<Name>] = [:]
  /// The contents that an event names in another way, so that they may always be needed.
  private(set) var unclear = ContentHashes.Collected()
  /// The events that release a content, by its hash.
  private(set) var releases: [String: [Ledger.Point]] = [:]
  private(set) var times = EventTimes()

  init(_ catalog: SchemaCatalog) {
    fold = Fold(catalog)
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    let point = Ledger.Point(branch: Int32(branch), sequence: layout.sequence)
    times.note(layout.atMilliseconds, of: point)
    let runs = ContentHashes.runs(in: canonical, layout.data)
    if runs.isEmpty { return }
    if layout.version == 1, canonical.matches(layout.type, "content.released") {
      if let hash = Self.released(layout, canonical) { releases[hash, default: []].append(point) }
      return
    }
    let planned = layout.version == 1 ? fold.planned(layout, canonical) : nil
    for run in runs {
      if let hash = ContentHashes.hash(run, in: canonical), let planned,
        let field = field(with: run, in: layout, type: planned.type)
      {
        names[hash, default: []].insert(Name(point: point, row: planned.row, field: field))
      } else {
        unclear.add(run, in: canonical)
      }
    }
  }

  /// The hash that a valid `content.released` names.
  private static func released(_ layout: LineLayout, _ canonical: Span<UInt8>) -> String? {
    guard case .object(let data) = JSONValue(canonical: canonical.copy(layout.data)[...]),
      case .string(let hash)? = data["sha256"], ContentHashes.isHash(hash)
    else { return nil }
    return hash
  }

  /// The register that the planned event writes a member with these bytes to.
  ///
  /// Nil unless the field is declared, isn't dated, has no earlier names, and the value follows its
  /// rule: only then is it certain when another write replaces this one.
  private func field(with run: Range<Int>, in layout: LineLayout, type: Int) -> Int32? {
    for step in fold.steps where step.action == .write {
      let value = layout.members[Int(step.member)].value
      guard Int(value.offset) <= run.lowerBound,
        run.upperBound <= Int(value.offset) + Int(value.count)
      else { continue }
      let collection = fold.catalog.collections[fold.compiled.types[type].collection]
      let name = fold.fieldText(step.field)
      let declared = (collection.fields + collection.dayFields)
        .first { $0.name.utf8.elementsEqual(name.utf8) }
      guard let declared, declared.isUndatedRegister, step.isReadable, step.converted < 0 else {
        return nil
      }
      return step.field
    }
    return nil
  }
}

extension FieldSchema {
  fileprivate var isUndatedRegister: Bool {
    mechanism.isRegister && !isDated && supersedes.isEmpty
  }
}

/// The times of events, accurate to a day.
struct EventTimes: Sendable {
  private struct Step: Sendable {
    var sequence: Int64
    var at: Int64
  }

  private static let day: Int64 = 86_400_000
  /// For each branch, the events whose time is at least a day later than that of all before them.
  private var steps: [[Step]] = []

  mutating func note(_ time: Int64, of point: Ledger.Point) {
    let branch = Int(point.branch)
    while steps.count <= branch { steps.append([]) }
    if let last = steps[branch].last, time < last.at + Self.day { return }
    steps[branch].append(Step(sequence: point.sequence, at: time))
  }

  /// The greatest time of an event and all that it has seen.
  ///
  /// A device whose clock is late has seen the events of others.
  func latest(seenBy point: Ledger.Point, _ ledger: Ledger) -> Int64 {
    let clock = ledger.clock(of: Int(point.branch), at: point.sequence)
    var latest = Int64.min
    for (branch, sequence) in clock.enumerated() where branch < steps.count {
      if let step = steps[branch].last(where: { $0.sequence <= sequence }) {
        latest = max(latest, step.at)
      }
    }
    return latest
  }
}
