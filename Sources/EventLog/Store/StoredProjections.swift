#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The states of an app's own projections as parts of a checkpoint.
///
/// A projection that is missing there, has another version, or can't be read is folded again from
/// the journal. The others continue after the checkpoint.
enum StoredProjections {
  static func add(_ projections: [any Projection], to checkpoint: inout Checkpoint) {
    for projection in projections {
      // Skipped projections (ambiguous name, not encodable) are refolded on the next open.
      guard isNamedAlone(type(of: projection), projections.map { type(of: $0) }),
        let state = state(of: projection)
      else { continue }
      let version = "\(type(of: projection).version)\n"
      checkpoint.parts[part(of: type(of: projection))] = (version.utf8 + state)[...]
    }
  }

  /// The projections' states at the checkpoint, or nil if the journal doesn't contain the events
  /// that the checkpoint covers.
  static func read(
    _ types: [any Projection.Type], of stored: StoredState, _ reading: JournalReading
  ) -> [any Projection]? {
    let found: [(any Projection)?] = types.map {
      isNamedAlone($0, types) ? read($0, of: stored.checkpoint) : nil
    }
    let missing = found.indices.filter { found[$0] == nil }
    if missing.isEmpty { return found.compactMap(\.self) }
    var sink = ProjectionSink(projections: missing.map { types[$0].init() })
    guard let pass = try? stored.pass(sink, blank: sink),
      (try? JournalRereading(reading, upTo: stored.checkpoint.origin.offset, after: pass)
        .read(into: &sink)) != nil,
      sink.eventCount == stored.fold.eventCount
    else { return nil }
    var projections = found
    for (index, projection) in zip(missing, sink.projections) { projections[index] = projection }
    return projections.compactMap(\.self)
  }

  private static func part(of type: any Projection.Type) -> String { "projection \(type.name)" }

  /// Whether no other type has the same name, which would make the stored state ambiguous.
  private static func isNamedAlone(
    _ type: any Projection.Type, _ types: [any Projection.Type]
  ) -> Bool {
    types.count { part(of: $0) == part(of: type) } == 1
  }

  private static func state<P: Projection>(of projection: P) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(projection)).map { Array($0) }
  }

  private static func read<P: Projection>(_ type: P.Type, of checkpoint: Checkpoint) -> P? {
    let version = "\(type.version)\n".utf8
    guard let bytes = checkpoint.parts[part(of: type)], bytes.starts(with: version) else {
      return nil
    }
    return try? JSONDecoder().decode(type, from: Data(bytes.dropFirst(version.count)))
  }
}

/// Folds only the app's own projections.
private struct ProjectionSink: EventSink {
  var projections: [any Projection]
  var eventCount = 0

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    eventCount += 1
    let event = Event(layout, canonical: canonical)
    for index in projections.indices { projections[index].apply(event) }
  }
}
