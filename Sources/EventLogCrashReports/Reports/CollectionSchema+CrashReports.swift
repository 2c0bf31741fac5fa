package import EventLog

extension CollectionSchema {
  /// The collection of the reports in a journal of crash reports.
  package static let crashReport = CollectionSchema(
    kind: "crash-report", section: "crashReports",
    fields: [
      FieldSchema("app", .register(.text), note: "the app's version"),
      FieldSchema("breadcrumbs", .register(.list(of: .text)), note: "the app's last steps"),
      FieldSchema("cut", .register(.boolean), note: "whether frames are missing"),
      FieldSchema("device", .register(.text), note: "the class of the device"),
      FieldSchema("errorType", .register(.text)),
      FieldSchema("failedHandler", .register(.boolean)),
      FieldSchema("fault", .register(.text), note: "what the address is near"),
      FieldSchema("frames", .register(.list(of: .text)), note: "image+offset, innermost first"),
      FieldSchema("hour", .register(.time)),
      FieldSchema("kind", .register(.text)),
      FieldSchema("mainThread", .register(.boolean)),
      FieldSchema("memory", .register(.text), note: "the available memory"),
      FieldSchema("omitted", .register(.wholeNumber(from: 0)), note: "reports only counted"),
      FieldSchema("severity", .register(.text)),
      FieldSchema("signal", .register(.text)),
      FieldSchema("system", .register(.text)),
    ])
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
