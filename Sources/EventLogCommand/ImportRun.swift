import EventLog
import EventLogImport

/// One call of `eventlog import`.
struct ImportRun {
  /// The largest map, in bytes.
  private static let mapBytesMax = 1 << 20

  private let target: ImportTarget
  private let file: String
  private let importer: Importer

  init(_ arguments: Arguments, _ console: Console) throws {
    target = try ImportTarget(arguments, console)
    guard arguments.operands.count > 1 else {
      throw EventLogError.usage("eventlog import needs a file to import.", "import")
    }
    guard let name = arguments["map"] else {
      throw EventLogError.usage(
        "eventlog import needs a map: --map MAP.", "import",
        hint: "MAP is a file, or one of \(ImportMap.builtInNames.joined(separator: ", ")).")
    }
    file = arguments.operands[1]
    let map = try Self.map(name)
    let zone = try (arguments["zone"] ?? map.zone).map(Self.zone)
    importer = Importer(
      path: file, map: map, source: arguments["source"], zone: zone,
      zoneNamed: { ImportZone(offset: $0) ?? SystemZones.zone($0) },
      dates: try arguments["dates"].map(Self.order),
      decimalMark: try arguments["locale"].map(Self.decimalMark), place: arguments["place"])
  }

  /// Prints the names of the built-in maps.
  static func printMaps(_ console: Console) throws -> Verb.ExitStatus {
    if console.isJSON {
      let maps = ImportMap.builtIns.map { name, summary -> JSONValue in
        .sorted([
          .init(name: "name", value: .string(name)),
          .init(name: "summary", value: .string(summary)),
        ])
      }
      try console.print(JSONValue.sorted([.init(name: "maps", value: .array(maps))]).text)
      return .yes
    }
    var table = Table()
    for (name, summary) in ImportMap.builtIns { table.add([name, summary]) }
    for line in table.lines(console) { try console.print(line) }
    return .yes
  }

  /// Prints a built-in map.
  static func print(
    map name: String, _ arguments: Arguments, _ console: Console
  ) throws -> Verb.ExitStatus {
    guard arguments.operands.isEmpty else {
      throw EventLogError.usage("Unexpected word \"\(arguments.operands[0])\".", "import")
    }
    guard let map = ImportMap.builtIn(name) else { throw noMap(name) }
    if console.isJSON {
      try console.print(try JSONValue(parsing: map.text.utf8).text)
    } else {
      for line in map.text.split(separator: "\n") { try console.print(String(line)) }
    }
    return .yes
  }

  private static func noMap(_ name: String) -> EventLogError {
    let names = ImportMap.builtInNames
    return .usage(
      "There is no map \"\(Visible.text(name))\".", "import",
      hint: Suggestion.nearest(to: name, among: names).map { "Did you mean \($0)?" }
        ?? "MAP is a file, or one of \(names.joined(separator: ", ")).")
  }

  /// Reads a map: a built-in one by its name, or else a file.
  private static func map(_ name: String) throws -> ImportMap {
    if let map = ImportMap.builtIn(name) { return map }
    if Terminal.isMissing(name) { throw noMap(name) }
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(name, limit: mapBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput,
        "Could not read the map \"\(Visible.text(name))\": \(error.reason). Nothing was written.",
        at: .init(file: name))
    }
    guard let bytes else {
      throw EventLogError(
        invalidInput: "\(Visible.text(name)): a map may have at most \(mapBytesMax) bytes.")
    }
    return try ImportMap(parsing: bytes, named: name)
  }

  private static func zone(_ name: String) throws -> ImportZone {
    if let zone = ImportZone(offset: name) ?? SystemZones.zone(name) { return zone }
    throw EventLogError.usage(
      "There is no time zone \"\(Visible.text(name))\".", "import",
      hint: "ZONE is a name such as Europe/Berlin, an offset such as +02:00, or UTC.")
  }

  private static func order(_ text: String) throws -> DateOrder {
    if let order = DateOrder(rawValue: text) { return order }
    throw EventLogError.usage(
      "There is no order of dates \"\(Visible.text(text))\".", "import",
      hint: "ORDER is D/M for 31/1/2026, M/D for 1/31/2026, or Y/M for 26/1/31.")
  }

  private static func decimalMark(_ locale: String) throws -> DecimalMark {
    if let mark = DecimalMark(locale: locale) { return mark }
    throw EventLogError.usage(
      "The locale \"\(Visible.text(locale))\" is unknown.", "import",
      hint: "LOCALE is a language, or one with a region: en for 1,234.5, de for 1.234,5.")
  }

  func perform() async throws -> Verb.ExitStatus {
    let (path, console, isDryRun) = (target.path, target.console, target.isDryRun)
    FreedMemory.returnLargeBlocks()
    console.onInterrupt(reporting: "Nothing was changed.")
    console.showReadingProgress([path])
    let store = try await EventStore.open(
      path: path, options: target.options, catalog: target.catalog)
    let (progress, work) = (console.progress, "importing \(file)")
    progress.begin(work)
    let report: ImportReport
    do {
      report = try await Terminal.interruptible { [importer] in
        try await importer.run(into: store, dryRun: isDryRun) { step in
          guard case .pulled(let count, let total) = step else { return }
          progress.update(work, events: count, of: total)
        }
      }
    } catch let error as EventLogError {
      try? await store.close()
      throw error.interrupting("import", keeping: "What was imported so far is kept.")
    }
    progress.end()
    let damage = store.snapshot.damage.filter(\.isDamage)
    console.warn(ofDamage: damage.first, of: damage.count, in: path)
    do {
      try ImportOutput(
        path: path, file: file, report: report, catalog: target.catalog, console: console
      ).print()
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The import is complete; only its report could not be written:"
          + " \(reason).", hint: "It is safe to run it again.")
    }
    try? await store.close()
    return .yes
  }
}
