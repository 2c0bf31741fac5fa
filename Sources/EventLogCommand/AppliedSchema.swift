import EventLog
import EventLogCollections

/// The collections that apply to a run: those of an app, and the bundled ones.
struct AppliedSchema {
  let catalog: SchemaCatalog
  /// The collections of the app, or none if no schema was found.
  let declared: [CollectionSchema]
  /// The bundled collections that contradict them, which are left out.
  let omitted: [CollectionSchema]

  /// Applies the bundled collections alone.
  init() { (catalog, declared, omitted) = (.bundled, [], []) }

  /// Applies the collections of an app, which come first, and the bundled ones.
  ///
  /// - Throws: `invalidSchema`.
  init(_ declared: [CollectionSchema]) throws(EventLogError) {
    // Check them alone first, so that their errors don't depend on bundled collections.
    let own = try SchemaCatalog(declared)
    let bundled = SchemaCatalog.bundled.collections
    let omitted = bundled.filter { bundled in declared.contains { $0.contradicts(bundled) } }
    catalog = try own.adding(bundled.filter { !omitted.contains($0) })
    (self.declared, self.omitted) = (declared, omitted)
  }

  /// The sections to print in full if none was requested, with content or not: those of the app,
  /// or else those of the core.
  var mainSections: [String] {
    declared.isEmpty
      ? SchemaCatalog.standard.sections
      : declared.flatMap(\.sections) + ["conflicts"]
  }
}

extension CollectionSchema {
  /// The sections of a snapshot that show the collection.
  var sections: [String] {
    [section] + (presentation.daySection.map { [$0.section] } ?? [])
  }

  /// Whether a catalog can't contain both: they differ, but share a kind, a section or a type.
  fileprivate func contradicts(_ other: CollectionSchema) -> Bool {
    if self == other { return false }
    let names = Set([kind] + sections)
    return !names.isDisjoint(with: [other.kind] + other.sections)
      || !Set(events.map(\.type)).isDisjoint(with: other.events.map(\.type))
  }
}
