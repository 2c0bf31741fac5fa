import EventLog
import EventLogAttachments

/// Collects the events that an erasure is about, while it folds all events.
///
/// Which events wrote a field is known only at the end, so their lines are kept until then.
struct ErasableEvents: EventSink, LineSink {
  @Boxed private(set) var fold: Fold
  private let erasure: Erasure
  private let name: [UInt8]
  private let wanted: Set<String>
  var events: [(event: FullEventID, extent: Erasures.Extent)] = []
  /// The lines that may have written the field, or those of the wanted events.
  private var candidates: [[UInt8]] = []
  /// Finds the events of the field among the candidates.
  private var writes: FieldWrites?
  /// The other fields of events that are erased as a whole for one field.
  private(set) var others: [FullEventID: [Int32]] = [:]
  /// The members that each event added to the field, if it did nothing else to it.
  private(set) var inclusions: [FullEventID: [String]] = [:]
  /// The hashes of attachments in what is erased, by event.
  private var attachmentsOfEvents: [FullEventID: Set<String>] = [:]
  /// The contents that other events name, or these in what isn't erased.
  private var otherContents = ContentHashes.Collected()
  /// The wanted events that can't be erased.
  private(set) var kept: [FullEventID] = []
  /// A type of the events that isn't declared.
  private var undeclaredType: String?

  init(_ erasure: Erasure, _ catalog: SchemaCatalog) {
    fold = Fold(catalog)
    self.erasure = erasure
    switch erasure {
    case .entity: (name, wanted) = ([], [])
    case .field(let field, _): (name, wanted) = (Erasures.Statement.spelled(field), [])
    case .events(let events): (name, wanted) = ([], Set(events.map(\.description)))
    }
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    if mayWriteField(layout, canonical) {
      candidates.append(line.copy())
    } else {
      event(layout, canonical: canonical, line: line, at: position)
    }
  }

  /// Whether an event is about the entity of the field, or may be about the singleton.
  private func mayWriteField(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard case .field(_, let place) = erasure, layout.version == 1 else { return false }
    if layout.entity.isEmpty { return !place.utf8.contains(UInt8(ascii: "/")) }
    return canonical.matches(layout.entity, Array(place.utf8.prefix { $0 != UInt8(ascii: "@") }))
  }

  /// Finds the events that wrote the field.
  mutating func examineCandidates(in state: Snapshot) {
    guard case .field(let field, let place) = erasure else { return }
    writes = FieldWrites(state, field, in: place)
    let lines = candidates
    candidates = []
    var scanner = LineScanner()
    for line in lines { scanner.scan(line + [0x0A], at: 0, number: 1, into: &self) }
  }

  /// The first conflict about a field that one of the wanted events wrote, or nil if there is none.
  ///
  /// The event's value may be a candidate or the base of the conflict.
  func conflict(in state: Snapshot) -> Conflict? {
    if wanted.isEmpty { return nil }
    return state.conflicts.first { conflict in
      guard var writes = FieldWrites(state, conflict.field, in: conflict.entity) else {
        return false
      }
      return candidates.contains { writes.isWrite($0) }
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard layout.version == 1, let extent = extent(layout, canonical, byteCount: line.count)
    else { return noteOther(layout, canonical, layout.data) }
    let event = FullEventID(layout, canonical)
    if ErasedLine.isKept(layout, canonical) {
      kept.append(event)
    } else {
      events.append((event, extent))
      if !wanted.isEmpty { candidates.append(line.copy()) }
      let type = canonical.text(layout.type)
      if fold.catalog.type(type) == nil { undeclaredType = type }
      noteContents(of: event, extent, layout, canonical)
    }
  }

  /// Leaves out the event that has an ID, because it is shown.
  mutating func leaveOut(_ shown: EventID?, _ ledger: Ledger) {
    guard let shown else { return }
    events.removeAll { event, _ in ledger.isMeant(event, by: shown) }
  }

  // MARK: - Attachments

  /// The attachments in what is erased of the events.
  var attachments: Set<String> {
    events.reduce(into: []) { $0.formUnion(attachmentsOfEvents[$1.event] ?? []) }
  }

  /// The attachments that nothing names without what is erased.
  var unnamedAttachments: [String] {
    let erased = Set(events.map(\.event))
    let others = attachmentsOfEvents.filter { !erased.contains($0.key) }.values.joined()
    return attachments.subtracting(others).filter { !otherContents.contains($0) }.sorted()
  }

  private mutating func noteContents(
    of event: FullEventID, _ extent: Erasures.Extent, _ layout: LineLayout,
    _ canonical: Span<UInt8>
  ) {
    var found: Set<String> = []
    for member in layout.members {
      if case .members(let names) = extent, !names.contains(canonical.copy(member.name)) {
        noteOther(layout, canonical, member.value)
      } else {
        Self.add(JSONValue(canonical: canonical.copy(member.value)[...]), to: &found)
      }
    }
    if !found.isEmpty { attachmentsOfEvents[event] = found }
  }

  private mutating func noteOther(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ range: ByteRange
  ) {
    // A release needs no content.
    if layout.version == 1, canonical.matches(layout.type, "content.released") { return }
    for run in ContentHashes.runs(in: canonical, range) { otherContents.add(run, in: canonical) }
  }

  private static func add(_ value: JSONValue, to hashes: inout Set<String>) {
    switch value {
    case .object(let object):
      if case .string(let hash)? = object["sha256"], ContentHashes.isHash(hash) {
        hashes.insert(hash)
      }
      for member in object.members { add(member.value, to: &hashes) }
    case .array(let values): for value in values { add(value, to: &hashes) }
    default: break
    }
  }

  private mutating func extent(
    _ layout: LineLayout, _ canonical: Span<UInt8>, byteCount: Int
  ) -> Erasures.Extent? {
    switch erasure {
    case .entity(let entity):
      return canonical.matches(layout.entity, Array(entity.description.utf8)) ? .whole : nil
    case .field(_, let place): return extent(of: place, layout, canonical, byteCount: byteCount)
    case .events:
      let event = FullEventID(layout, canonical)
      return wanted.contains(event.shortID.description) || wanted.contains(event.id.description)
        ? .whole : nil
    }
  }

  /// The extent of what a line wrote of the field, or nil if it wrote nothing.
  private mutating func extent(
    of place: String, _ layout: LineLayout, _ canonical: Span<UInt8>, byteCount: Int
  ) -> Erasures.Extent? {
    let written = writes?.find(layout, canonical)
    var names = written?.members ?? []
    // An event of an unknown type may contain the field, too.
    if written == nil, isAbout(place, layout, canonical),
      layout.members.contains(where: { canonical.matches($0.name, name) })
    {
      names.insert(name)
    }
    if names.isEmpty, written?.isWhole != true { return nil }
    let part = Erasures.Extent.members(names)
    if written?.isWhole != true, layout.memberCount > names.count,
      let rest = ErasedLine.bytes(of: layout, canonical, byteCount: byteCount, extent: part),
      written == nil || writes?.isValid(rest) == true
    {
      return part
    }
    let event = FullEventID(layout, canonical)
    others[event] = written?.others ?? []
    if let members = written?.included { inclusions[event] = members }
    return .whole
  }

  /// Whether an event is about an entity, or about a singleton of this kind.
  private func isAbout(
    _ place: String, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Bool {
    if !layout.entity.isEmpty { return canonical.matches(layout.entity, Array(place.utf8)) }
    return canonical.begins(layout.type, with: Array("\(place).".utf8))
  }

  /// Checks that the catalog declares the collection of the events.
  ///
  /// - Throws: `noEntity` if the collection isn't declared.
  func checkIsDeclared(path: String) throws(EventLogError) {
    if events.isEmpty, candidates.isEmpty { return }
    var undeclared: String?
    switch erasure {
    case .entity(let entity): undeclared = fold.undeclared(entity.kind)
    case .field(_, let place): undeclared = fold.undeclared(String(place.prefix { $0 != "/" }))
    case .events: undeclared = undeclaredType
    }
    guard let undeclared else { return }
    throw EventLogError(
      .noEntity,
      "\"\(undeclared)\" is not declared, so what its events show is unknown. Nothing was"
        + " erased.", hint: EventLogError.AppHint.undeclaredKind, at: .init(file: path))
  }

  /// - Throws: `noEntity` or `noEvent` if there is nothing to erase; `invalidInput` if one of the
  ///   events can't be erased.
  func check(_ ledger: Ledger, path: String) throws(EventLogError) {
    if let event = kept.first {
      throw EventLogError(
        .invalidInput,
        "\(ledger.shownID(of: event)) is about a device, a user or an erasure, so it can't be"
          + " erased. Nothing was erased.", at: .init(file: path))
    }
    switch erasure {
    case .entity(let entity) where events.isEmpty:
      throw EventLogError(
        .noEntity, "\"\(path)\" has no events of \(entity) to erase.",
        hint: "Check the kind and the key.", at: .init(file: path))
    case .events(let ids):
      let found = Set(events.map(\.event))
      for id in ids
      where !ledger.points(named: id).contains(where: { found.contains(ledger.fullID($0)) }) {
        throw EventLogError(
          .noEvent, "\"\(path)\" has no content of the event \(id) to erase.",
          at: .init(file: path))
      }
    case .entity, .field: break
    }
  }
}

extension Fold {
  /// A kind, if no collection of it is declared.
  fileprivate func undeclared(_ kind: String) -> String? {
    catalog.collection(kind: kind) == nil ? kind : nil
  }
}
