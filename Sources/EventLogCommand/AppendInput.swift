import EventLog
import EventLogAttachments
import EventLogCollections
import EventLogImport

/// The events to append, parsed from the arguments or standard input.
struct AppendInput {
  private(set) var events: [(draft: EventDraft, entity: EntityReference?)] = []
  /// The input line of each event, for an import.
  private(set) var lines: [Int] = []
  /// The size limit of an import, in bytes. An import is checked as a whole before anything is
  /// written.
  static let importBytesMax = 1 << 29

  /// The references to linked entities.
  private var links: LinkArguments?
  /// The files to attach.
  private var files: FileArguments?
  /// The events that may lack a day, with the time as it was given.
  private var undated: [(index: Int, declared: FieldArguments.Declaration, time: String?)] = []
  private let catalog: SchemaCatalog
  /// Whether to allow undeclared fields and enum values, and invisible characters in names.
  private let takesFurtherFields: Bool

  init(_ arguments: Arguments, _ catalog: SchemaCatalog) throws {
    self.catalog = catalog
    takesFurtherFields = arguments.has("force")
    let operands = arguments.operands.dropFirst()
    guard let type = operands.first else {
      throw EventLogError.usage(
        "append needs an event type, or - to read events from standard input.", "append")
    }
    if type == "-" {
      try readImport(arguments)
    } else {
      try readEvent(type, Array(operands.dropFirst()), arguments)
    }
  }

  // MARK: - One event

  private mutating func readEvent(
    _ type: String, _ operands: [String], _ arguments: Arguments
  ) throws(EventLogError) {
    let declared = catalog.type(type)
    var name: String?
    var fields = FieldArguments(declared)
    for operand in operands {
      if try fields.parse(operand) { continue }
      if name == nil {
        name = operand
      } else {
        throw .usage(
          "Unexpected word \"\(operand)\": it is not FIELD=VALUE, and the entity is \"\(name!)\".",
          "append")
      }
    }
    fields.parseMembers()
    var data = fields.data
    if let text = arguments["data"] {
      guard data.members.isEmpty else {
        throw .usage("--data and FIELD=VALUE cannot be combined.", "append")
      }
      data = try FieldArguments.object(text, called: "--data")
    }
    if !fields.files.isEmpty {
      files = FileArguments(
        members: fields.files,
        options: AttachmentOptions(keepsPosition: arguments.has("keep-position")))
    }
    var draft = EventDraft(type: type, data: data, ref: arguments["ref"])
    if let text = arguments["at"] {
      guard let at = Timestamp(text) else {
        throw .usage(
          "--at needs a valid time with seconds and an offset or Z.", "append",
          hint: Day(text).map { "For noon of that day in UTC, use --at \($0)T12:00:00Z." }
            ?? (Arguments.missingDay(text).map { "\($0) is not a date. " } ?? "")
            + "For example: 2026-01-28T09:12:33Z or 2026-01-28T10:12:33+01:00.")
      }
      draft.at = at
    }
    if let declared {
      undated = [(0, declared, arguments["at"])]
      try Self.checkChangesSomething(draft, declared.event)
      try checkFields(draft)
      // Links are checked after the journal is read.
      if fields.links.isEmpty {
        try checkValues(draft)
      } else {
        links = LinkArguments(
          kinds: fields.links, catalog: catalog, takesAnyEntity: takesFurtherFields)
      }
    }
    try checkNames(draft)
    events = [(draft, try Self.reference(name, declared))]
  }

  /// Replaces references to linked entities with entity IDs.
  ///
  /// - Throws: `noEntity`, `deletedEntity`, or `invalidEvent` with the first value that isn't a
  ///   link.
  mutating func resolveLinks(in state: Snapshot) throws(EventLogError) {
    guard let links else { return }
    try links.resolve(in: &events[0].draft, state)
    try checkValues(events[0].draft)
  }

  /// Stores the files that the event names, before it is appended.
  ///
  /// - Throws: `invalidInput` for what can't be attached; `inputOutput`.
  mutating func attachFiles(in folder: AttachmentFolder) throws(EventLogError) {
    try files?.attach(to: &events[0].draft, in: folder)
  }

  /// Refuses undeclared fields of a built-in type, because they are usually typos, and events are
  /// permanent.
  ///
  /// - Throws: `invalidEvent` with the first one.
  private func checkFields(_ draft: EventDraft) throws(EventLogError) {
    guard !takesFurtherFields, let (collection, event) = catalog.type(draft.type),
      event.isClosedAtCommandLine(of: collection)
    else { return }
    let names = event.members.map(\.name) + collection.fields.map(\.name)
    for name in draft.data.members.map(\.name) {
      // By bytes, because `==` equates some different names. The store reports reserved names.
      if names.contains(where: { $0.hasBytes(of: name) })
        || collection.reservedNames.contains(name)
      {
        continue
      }
      let near = Suggestion.nearest(to: name, among: names)
      throw EventLogError(
        .invalidEvent,
        "\(draft.type) was refused: it has no field \"\(name)\". Nothing was written.",
        hint: (near.map { "Did you mean \"\($0)\"?" }
          ?? "eventlog types \(draft.type) lists its fields.")
          + " --force adds it as a new field.")
    }
  }

  /// Refuses invalid set members and undeclared enum cases, because they are usually mistakes.
  ///
  /// - Throws: `invalidEvent` with the first one.
  private func checkValues(_ draft: EventDraft) throws(EventLogError) {
    guard !takesFurtherFields, let (collection, event) = catalog.type(draft.type) else { return }
    for member in draft.data.members {
      // A set's invalid members can still be removed.
      if event.member(member.name)?.role == .exclude { continue }
      let field = collection.field(writtenBy: member.name, of: event, in: draft.data)
      guard let field, let (phrase, hint) = field.refusal(of: member.value) else { continue }
      throw EventLogError(
        .invalidEvent,
        "\(draft.type) was refused: \"\(field.name)\" must be \(phrase). Nothing was written.",
        hint: "\(hint) --force writes it anyway.")
    }
  }

  /// Refuses names of fields, sets and members with invisible characters, which can't be read or
  /// typed.
  ///
  /// - Throws: `invalidEvent` with the first one.
  private func checkNames(_ draft: EventDraft) throws(EventLogError) {
    if takesFurtherFields { return }
    let event = catalog.type(draft.type)?.event
    var names = draft.data.members.map(\.name)
    for member in draft.data.members {
      switch (event?.member(member.name)?.role, member.value) {
      case (.key?, .string(let name)): names.append(name)
      case (.include?, .array(let members)), (.exclude?, .array(let members)):
        for case .string(let name) in members { names.append(name) }
      default: break
      }
    }
    guard let name = names.first(where: { !Visible.isWhole($0) }) else { return }
    throw EventLogError(
      .invalidEvent,
      "\(draft.type) was refused: the name \"\(Visible.text(name))\" contains invisible"
        + " characters. Nothing was written.", hint: "--force writes it anyway.")
  }

  private static func reference(
    _ name: String?, _ declared: (collection: CollectionSchema, event: EventSchema)?
  ) throws(EventLogError) -> EntityReference? {
    guard let declared else { return name.map(EntityReference.matching) }
    guard !declared.collection.isSingleton else {
      guard let name else { return nil }
      throw EventLogError(
        .invalidEvent,
        "Unexpected word \"\(name)\": \(declared.event.type) takes no entity, because there is"
          + " only one \(declared.collection.kind). Nothing was written.",
        hint: "Write fields as FIELD=VALUE.")
    }
    let begins = declared.event.lifecycle == .begins
    guard let name else { return begins ? .minted : nil }
    guard begins else { return .matching(name) }
    // For a new entity, the operand is its key, so don't search for it.
    guard let entity = EntityID(name) ?? EntityID(kind: declared.collection.kind, key: name) else {
      throw EventLogError(
        invalid:
          "\"\(Visible.text(name))\" is not a valid \(declared.collection.kind) key: a key has"
          + " 1 to 128 characters of A-Z a-z 0-9 . _ ~ -. Nothing was written.")
    }
    return .exact(entity)
  }

  /// The last day to which progress is added, or nil if there is none.
  var lastDayOfProgress: Day? {
    events.compactMap { event in
      guard let type = catalog.type(event.draft.type),
        let section = type.collection.presentation.daySection,
        let name = type.event.members.first(where: { $0.role == .day })?.name,
        case .string(let text)? = event.draft.data[name],
        type.event.members.contains(where: { member in
          guard member.role.field == section.progressField,
            case .number(let number)? = event.draft.data[member.name]
          else { return false }
          return number.double > 0
        })
      else { return nil }
      return Day(text)
    }.max()
  }

  /// Adds missing days, and the days from which dated fields apply: that of the time, or else
  /// today.
  ///
  /// An optional day is added only if a field of a day is given.
  ///
  /// - Parameter start: The time at which the person's days begin.
  mutating func addDays(startingAt start: DayStart) {
    for (index, declared, time) in undated {
      guard let day = time.map(start.day(of:)) ?? start.today else { continue }
      let value = JSONValue.string(day.description)
      if lines.isEmpty, let member = declared.event.members.first(where: { $0.role == .day }),
        events[index].draft.data[member.name] == nil,
        member.isRequired || Self.isOfDay(events[index].draft, declared)
      {
        events[index].draft.data[member.name] = value
      }
      let from = CollectionSchema.fromMember
      if events[index].draft.data[from] == nil, declared.collection.takesFrom(declared.event),
        declared.collection.writesDatedField(declared.event, events[index].draft.data)
      {
        events[index].draft.data[from] = value
      }
    }
  }

  private static func isOfDay(
    _ draft: EventDraft, _ declared: FieldArguments.Declaration
  ) -> Bool {
    declared.event.members.contains { member in
      guard let value = draft.data[member.name] else { return false }
      var field = member.role.field
      if member.role == .key, case .string(let key) = value { field = key }
      return field.map { declared.collection.field($0, ofDay: true) != nil } ?? false
    }
  }

  /// Refuses an event that changes nothing, because events are permanent.
  private static func checkChangesSomething(
    _ draft: EventDraft, _ event: EventSchema
  ) throws(EventLogError) {
    let day = event.members.first { $0.role == .day }
    if event.lifecycle == .none, event.assigns.isEmpty,
      event.members.allSatisfy({ !$0.isRequired || $0 == day }),
      draft.data.members.allSatisfy({ $0.name == day?.name })
    {
      throw .usage("\(event.type) needs at least one FIELD=VALUE.", "append")
    }
    for member in event.members {
      switch (member.role, draft.data[member.name]) {
      case (.key, .string("")?), (.include, .array([])?), (.exclude, .array([])?):
        throw .usage("\(event.type) needs a value for \"\(member.name)\".", "append")
      default: break
      }
    }
  }

  // MARK: - Import

  private mutating func readImport(_ arguments: Arguments) throws {
    for name in ["data", "at", "ref"] where arguments.has(name) {
      throw EventLogError.usage("--\(name) applies to a single event, not to an import.", "append")
    }
    guard arguments.operands.count == 2 else {
      throw EventLogError.usage(
        "- reads events from standard input and takes no other words.", "append")
    }
    guard let input = try Terminal.readInput(limit: Self.importBytesMax) else {
      throw EventLogError(
        invalid: "The input is larger than \(Self.importBytesMax) bytes. Nothing was written.")
    }
    for (index, line) in input.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      try readImportLine(line, number: index + 1)
    }
  }

  private mutating func readImportLine(
    _ line: ArraySlice<UInt8>, number: Int
  ) throws(EventLogError) {
    var draft: EventDraft
    var entity: EntityReference?
    do throws(ImportLine.Refusal) {
      let read = try ImportLine(parsing: line)
      (draft, entity) = (read.draft, read.entity)
      if let declared = catalog.type(draft.type) {
        undated.append((events.count, declared, read.time))
      }
    } catch {
      throw EventLogError(
        .invalidInput,
        "Line \(number) of the input: \(Visible.text(error.reason)). Nothing was written.",
        hint: error.hint, at: .init(line: number))
    }
    do throws(EventLogError) {
      try checkFields(draft)
      try checkValues(draft)
      try checkNames(draft)
    } catch {
      throw EventLogError(
        error.code, "Line \(number) of the input: \(error.message)", hint: error.hint,
        at: .init(line: number))
    }
    let declared = catalog.type(draft.type)
    if entity == nil, declared?.event.lifecycle == .begins { entity = .minted }
    events.append((draft, entity))
    lines.append(number)
  }
}

extension EventSchema {
  /// Whether undeclared fields need `--force`: in built-in collections that declare some.
  func isClosedAtCommandLine(of collection: CollectionSchema) -> Bool {
    writesFields && collection.takesFurtherFields && !collection.fields.isEmpty
      && SchemaCatalog.bundled.collection(kind: collection.kind) == collection
  }
}

extension EventLogError {
  /// Creates the error for an invalid event in the arguments or input.
  init(invalid message: String) {
    self.init(invalidInput: message)
  }
}
