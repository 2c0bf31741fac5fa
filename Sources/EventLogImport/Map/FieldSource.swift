import EventLog

/// The origin of a field's value, and its conversion.
struct FieldSource: Sendable {
  enum Origin: Sendable {
    /// The value of the key.
    case key
    case column(String)
    case text(NamePattern)
    case value(JSONValue)
  }

  /// The type that a value is converted to.
  enum Conversion: String, CaseIterable, Sendable {
    case text, number, whole, flag, day, time, any, members
  }

  /// The zero and the unit of a number that is a point in time.
  enum Epoch: String, CaseIterable, Sendable {
    case unix, unixMilliseconds, apple
  }

  /// The value of a field that several rows have.
  enum Several: String, CaseIterable, Sendable {
    case sum, last, max
  }

  var origin: Origin
  var conversion: Conversion?
  var epoch: Epoch?
  /// The values of certain texts; without a conversion, only these texts are allowed.
  var values: [(text: String, value: JSONValue)] = []
  /// The columns that need one of some texts; otherwise the field has no value.
  var conditions: [(column: String, texts: [String])] = []
  /// The value if the source's value is empty.
  var otherwise: JSONValue?
  /// The value that readers assume for an unwritten field, so that it needs no event.
  var initial: JSONValue?
  var divisor: Int64 = 1
  var rounds = false
  /// The field of the entity that keeps the exact value of a rounded number.
  var exact: NamePattern?
  /// Whether the column may be missing.
  var isOptional = false
  /// Whether an invalid value is reported and skipped, instead of refusing the import.
  var isLenient = false
  /// Whether the field may be undeclared in the collection.
  var isUndeclared = false
  var separator = ","
  /// The accepted spellings of dates and times; empty for all usual ones.
  var forms: [DateForm] = []
  /// The order of the parts of dates.
  var dates: DateOrder?
  /// The mark before decimals.
  var decimalMark: DecimalMark?
  /// The units that may stand with a number, each with the factor that converts it, if any.
  var units: [(name: String, factor: JSONNumber?)] = []
  /// Without a rule, the later one counts, and the other rows are listed.
  var several: Several?
  /// The position in the map, for errors.
  var position: String

  private static let names = [
    "as", "epoch", "values", "when", "otherwise", "initial", "divide", "round", "exact", "optional",
    "lenient", "undeclared", "separator", "forms", "dates", "decimal", "units", "several",
  ]

  /// Reads the source of a table's field; a string is short for an object with that column.
  init(ofRow value: JSONValue, at position: String) throws(EventLogError) {
    if case .string(let column) = value {
      (origin, self.position) = (.column(column), position)
      return
    }
    let reader = try MapReader(
      value, at: position, taking: ["column", "text", "value"] + Self.names)
    let origins = ["column", "text", "value"].filter(reader.has)
    guard origins.count == 1 else {
      throw reader.refused("needs one of \"column\", \"text\" and \"value\"")
    }
    switch origins[0] {
    case "column": origin = .column(try reader.neededText("column"))
    case "text": origin = .text(try Self.pattern(try reader.neededText("text"), reader))
    default: origin = .value(reader.object["value"] ?? .null)
    }
    self.position = position
    try read(reader)
  }

  /// Reads the source of a key's field.
  init(ofKey value: JSONValue, at position: String) throws(EventLogError) {
    (origin, self.position) = (.key, position)
    try read(try MapReader(value, at: position, taking: ["kind", "field"] + Self.names))
  }

  static func pattern(_ text: String, _ reader: MapReader) throws(EventLogError) -> NamePattern {
    guard let pattern = NamePattern(text) else {
      throw reader.refused("has a brace without its other half, or without a name")
    }
    return pattern
  }

  private mutating func read(_ reader: MapReader) throws(EventLogError) {
    conversion = try reader.word("as", Conversion.self)
    epoch = try reader.word("epoch", Epoch.self)
    for member in try reader.members("values") { values.append((member.name, member.value)) }
    for member in try reader.members("when") {
      let inside = try MapReader(
        .object(JSONObject([member])), at: reader.inside("when"), taking: [member.name])
      conditions.append((member.name, try inside.texts(member.name)))
    }
    otherwise = reader.object["otherwise"]
    initial = reader.object["initial"]
    if let divide = reader.object["divide"] {
      guard case .number(let number) = divide, let whole = number.integer, whole > 0 else {
        throw reader.refused("needs a whole number from 1 for \"divide\"")
      }
      divisor = whole
    }
    rounds = try reader.flag("round")
    exact = try reader.text("exact").map { (text) throws(EventLogError) in
      try Self.pattern(text, reader)
    }
    guard exact == nil || rounds else { throw reader.refused("has \"exact\" without \"round\"") }
    isOptional = try reader.flag("optional")
    isLenient = try reader.flag("lenient")
    isUndeclared = try reader.flag("undeclared")
    separator = try reader.text("separator") ?? ","
    if separator.isEmpty { throw reader.refused("needs a character for \"separator\"") }
    forms = try DateForm.read("forms", reader)
    dates = try reader.word("dates", DateOrder.self)
    decimalMark = try reader.word("decimal", DecimalMark.self)
    units = try Self.units(reader)
    several = try reader.word("several", Several.self)
  }

  private static func units(
    _ reader: MapReader
  ) throws(EventLogError) -> [(name: String, factor: JSONNumber?)] {
    guard case .object(let object)? = reader.object["units"] else {
      return try reader.texts("units").map { ($0, nil) }
    }
    var units: [(name: String, factor: JSONNumber?)] = []
    for member in object.members {
      guard case .number(let factor) = member.value, factor.double > 0,
        ExactDecimal(factor.text) != nil
      else {
        throw reader.refused(
          "needs a number above 0 for the unit \"\(member.name)\", with at most 38 digits")
      }
      units.append((member.name, factor))
    }
    return units
  }

  /// The required columns.
  var columns: [String] {
    switch origin {
    case .key, .value: []
    case .column(let column): [column]
    case .text(let pattern): pattern.names
    }
  }
}
