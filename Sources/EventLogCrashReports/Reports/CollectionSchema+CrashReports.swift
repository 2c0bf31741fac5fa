package import EventLog

extension CollectionSchema {
  /// The collection of the reports in a journal of crash reports.
  package static let crashReport = CollectionSchema(
    kind: "crash-report", section: "crashReports",
    fields: CrashReportMember.all.map(\.field))
}

extension SchemaCatalog {
  /// The declarations of a journal of crash reports.
  package static let crashReports: SchemaCatalog = {
    var catalog = (try? SchemaCatalog([.crashReport])) ?? SchemaCatalog()
    catalog.revision = 1
    return catalog
  }()
}

extension CrashReport {
  /// The event that adds the report to a journal once.
  var draft: EventDraft {
    var data = JSONObject()
    if case .object(let members) = json { data = members }
    data["id"] = nil
    return EventDraft(
      type: "\(CollectionSchema.crashReport.kind).created",
      entity: EntityID(kind: CollectionSchema.crashReport.kind, key: id), data: data, ref: id)
  }

  /// The reports in a state, the latest first. Entities of another form are only counted.
  package static func all(
    in snapshot: Snapshot
  ) -> (reports: [CrashReport], unreadableCount: Int) {
    let entities = snapshot.entities(CollectionSchema.crashReport.kind)
    let reports = entities.compactMap { entity -> CrashReport? in
      var members = entity.fields.compactMap { field in
        field.shown.map { JSONObject.Member(name: field.name, value: $0) }
      }
      members.append(.init(name: "id", value: .string(entity.id.key)))
      return CrashReport(json: .object(JSONObject(members)))
    }
    return (reports.sorted(by: isLater), entities.count - reports.count)
  }

  package static func isLater(_ one: CrashReport, _ other: CrashReport) -> Bool {
    one.hour != other.hour ? one.hour > other.hour : one.id < other.id
  }
}
