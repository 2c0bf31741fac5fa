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
  /// The accepted spellings of days.
  var forms: [DayForm] = []
  /// The position in the map, for errors.
  var position: String

  private static let names = [
    "as", "epoch", "values", "when", "otherwise", "initial", "divide", "round", "exact", "optional",
    "lenient", "undeclared", "separator", "forms",
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
    forms = try DayForm.read("forms", reader)
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

/// A spelling of days in a source, such as `YYYY-MM-DD` or `M/D/YYYY`.
struct DayForm: Sendable {
  let text: String
  private let pattern: NamePattern

  private static let words = [
    ("YYYY", "year"), ("MM", "month"), ("DD", "day"), ("M", "month"), ("D", "day"),
  ]

  init?(_ text: String) {
    var rest = text[...]
    var spelled = ""
    while let first = rest.first {
      if let word = Self.words.first(where: { rest.hasPrefix($0.0) }) {
        spelled += "{\(word.1)}"
        rest = rest.dropFirst(word.0.count)
      } else {
        spelled.append(first)
        rest = rest.dropFirst()
      }
    }
    guard let pattern = NamePattern(spelled), pattern.names.sorted() == ["day", "month", "year"]
    else { return nil }
    self.text = text
    self.pattern = pattern
  }

  static func read(_ name: String, _ reader: MapReader) throws(EventLogError) -> [DayForm] {
    var forms: [DayForm] = []
    for text in try reader.texts(name) {
      guard let form = DayForm(text) else {
        throw reader.refused(
          "has \"\(text)\" in \"\(name)\", which is no form of a day",
          hint: "A form has YYYY, M or MM, and D or DD, for example M/D/YYYY.")
      }
      forms.append(form)
    }
    return forms
  }

  func day(_ text: String) -> Day? {
    guard let parts = pattern.match(text), let year = Self.number(parts["year"], digits: 4...4),
      let month = Self.number(parts["month"], digits: 1...2),
      let day = Self.number(parts["day"], digits: 1...2)
    else { return nil }
    return Day(year: year, month: month, day: day)
  }

  private static func number(_ text: String?, digits: ClosedRange<Int>) -> Int? {
    guard let text, digits.contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}
