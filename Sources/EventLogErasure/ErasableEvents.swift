import EventLog
import EventLogAttachments

/// Collects the events that an erasure is about.
struct ErasableEvents: EventSink {
  private let erasure: Erasure
  private let name: [UInt8]
  private let wanted: Set<String>
  var events: [(event: FullEventID, extent: Erasures.Extent)] = []
  /// Finds the events of a field.
  var writes: FieldWrites?
  /// The other fields of events that are erased as a whole for one field.
  private(set) var others: [FullEventID: [Int32]] = [:]
  /// The hashes of attachments in what is erased, by event.
  private var attachmentsOfEvents: [FullEventID: Set<String>] = [:]
  /// The hashes of contents that other events name, or these in what isn't erased.
  private var otherContents: Set<String> = []
  /// Longer runs of hexadecimal digits there, which contain several hashes.
  private var otherRuns: [[UInt8]] = []
  /// The wanted events that can't be erased.
  private(set) var kept: [FullEventID] = []

  init(_ erasure: Erasure) {
    self.erasure = erasure
    switch erasure {
    case .entity: (name, wanted) = ([], [])
    case .field(let field, _): (name, wanted) = (Erasures.Statement.spelled(field), [])
    case .events(let events): (name, wanted) = ([], Set(events.map(\.description)))
    }
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

  mutating func restart(_ blank: ErasableEvents) { self = blank }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.version == 1, let extent = extent(layout, canonical, byteCount: line.count)
    else { return noteOther(layout, canonical, layout.data) }
    let event = FullEventID(layout, canonical)
    if ErasedLine.isKept(layout, canonical) {
      kept.append(event)
    } else {
      events.append((event, extent))
      noteContents(of: event, extent, layout, canonical)
    }
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
    return attachments.subtracting(otherContents).subtracting(others)
      .filter { hash in !otherRuns.contains { $0.containsBytes(of: hash) } }.sorted()
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
    for run in ContentHashes.runs(in: canonical, range) {
      if let hash = ContentHashes.hash(run, in: canonical) {
        otherContents.insert(hash)
      } else {
        let range = ByteRange(offset: Int32(run.lowerBound), count: Int32(run.count))
        otherRuns.append(canonical.copy(range))
      }
    }
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
    others[FullEventID(layout, canonical)] = written?.others ?? []
    return .whole
  }

  /// Whether an event is about an entity, or about a singleton of this kind.
  private func isAbout(
    _ place: String, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Bool {
    if !layout.entity.isEmpty { return canonical.matches(layout.entity, Array(place.utf8)) }
    return canonical.begins(layout.type, with: Array("\(place).".utf8))
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
