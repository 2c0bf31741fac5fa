public import EventLog

/// A map from the data of another app, or of an earlier version of your own, to collections.
///
/// A map is JSON. For each key of a property list, or each column of a table, it specifies the
/// field of a collection that stores its values. The guide on importing describes the language.
public struct ImportMap: Sendable {
  /// The name of the source, which is the prefix of its device IDs.
  public let source: String
  /// The text of the map.
  public let text: String
  /// The zone in which points in time become days, if the map names one.
  public let zone: String?
  /// The order of dates in the source, if the map states it.
  public let dates: DateOrder?
  /// The decimal mark of numbers in the source, if the map states it.
  public let decimalMark: DecimalMark?
  let ignored: [Wildcard]
  let places: [Place]
  let keys: [KeyMap]
  let tables: [TableMap]

  /// A pattern of key names, and the owner of such keys.
  struct Place: Sendable {
    /// The suffix in the name of the place's device; empty if there is only one place.
    var name: String
    var pattern: NamePattern
    /// Whether its keys are a guest's.
    var isGuest: Bool
  }

  /// The destination of a key's value.
  struct KeyMap: Sendable {
    var name: String
    var kind: String
    var field: String
    var source: FieldSource
  }

  /// Reads a map.
  ///
  /// - Parameters:
  ///   - text: The JSON of the map, in UTF-8.
  ///   - name: The map's name in errors, such as the path of its file.
  /// - Throws: `invalidInput` with the line if the text isn't JSON, or with the member that is
  ///   unknown or has the wrong form.
  public init(
    parsing text: some Sequence<UInt8>, named name: String? = nil
  ) throws(EventLogError) {
    let bytes = Array(text)
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: bytes) } catch {
      let position = error.position(in: bytes)
      throw .cannotImport(
        "A map is one JSON object; \(name.map { "\"\($0)\"" } ?? "this one") \(error.clause)"
          + " (\(position.name)).", file: name, line: position.line, byte: error.byte)
    }
    do throws(EventLogError) {
      try self.init(value.composed, String(decoding: bytes, as: UTF8.self))
    } catch {
      throw EventLogError(error.code, error.message, hint: error.hint, at: .init(file: name))
    }
  }

  private init(_ value: JSONValue, _ text: String) throws(EventLogError) {
    let reader = try MapReader(
      value, at: "",
      taking: ["source", "zone", "dates", "decimal", "ignored", "places", "keys", "tables"])
    self.text = text
    source = try reader.neededText("source")
    guard DeviceID(source) != nil, source.utf8.count <= 32 else {
      throw reader.refused("needs 1 to 32 of the characters A-Z a-z 0-9 . _ - for \"source\"")
    }
    zone = try reader.text("zone")
    dates = try reader.word("dates", DateOrder.self)
    decimalMark = try reader.word("decimal", DecimalMark.self)
    ignored = try reader.texts("ignored").map { Wildcard($0) }
    guard reader.has("keys") != reader.has("tables") else {
      throw reader.refused("needs either \"keys\" or \"tables\"")
    }
    guard reader.has("keys") || !reader.has("places") else {
      throw reader.refused("has \"places\", which only \"keys\" can have")
    }
    places = try Self.places(reader)
    keys = try Self.keys(reader)
    var tables: [TableMap] = []
    for (index, value) in try reader.list("tables").enumerated() {
      tables.append(try TableMap(value, at: "tables[\(index)]"))
    }
    self.tables = tables
  }

  private static func places(_ reader: MapReader) throws(EventLogError) -> [Place] {
    var places: [Place] = []
    for (index, value) in try reader.list("places").enumerated() {
      let reader = try MapReader(
        value, at: "places[\(index)]", taking: ["name", "pattern", "user"])
      let pattern = try FieldSource.pattern(try reader.neededText("pattern"), reader)
      guard pattern.names.count(where: { $0 == "key" }) == 1,
        Set(pattern.names).count == pattern.names.count
      else { throw reader.refused("needs {key} once in \"pattern\", and no name twice") }
      let user = try reader.text("user")
      guard user == nil || user == "guest" else {
        throw reader.refused("takes only \"guest\" for \"user\"")
      }
      let name = try reader.neededText("name")
      guard DeviceID(name) != nil, !places.contains(where: { $0.name == name }) else {
        throw reader.refused("needs a name of its own, of the characters A-Z a-z 0-9 . _ -")
      }
      places.append(Place(name: name, pattern: pattern, isGuest: user != nil))
    }
    return places.isEmpty
      ? [Place(name: "", pattern: NamePattern("{key}")!, isGuest: false)] : places
  }

  private static func keys(_ reader: MapReader) throws(EventLogError) -> [KeyMap] {
    var keys: [KeyMap] = []
    for member in try reader.members("keys") {
      let position = "keys.\(member.name)"
      let source = try FieldSource(ofKey: member.value, at: position)
      guard case .object(let object) = member.value,
        case .string(let kind)? = object["kind"], case .string(let field)? = object["field"]
      else {
        throw MapReader.refused(position, "needs text for \"kind\" and \"field\"")
      }
      keys.append(KeyMap(name: member.name, kind: kind, field: field, source: source))
    }
    return keys
  }
}
