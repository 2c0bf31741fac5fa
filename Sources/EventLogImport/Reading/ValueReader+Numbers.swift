import EventLog

/// Reads numbers.
extension ValueReader {
  func number(_ tree: SourceTree) throws(Refusal) -> JSONNumber {
    let text = try numberText(tree)
    guard source.divisor > 1 || rule == .amount || mechanism == .counter else {
      guard PlainNumber.double(text) != nil else { throw outOfRange }
      return JSONNumber(trusted: text)
    }
    guard let value = ExactDecimal(text) else { throw outOfRange }
    // A counter and a goal take no exponent.
    return JSONNumber(
      trusted: source.divisor > 1 ? value.divided(by: source.divisor) : value.description)
  }

  mutating func whole(_ tree: SourceTree) throws(Refusal) -> Int64 {
    let text = try numberText(tree)
    if let whole = Int64(text), whole.isMultiple(of: source.divisor) {
      return whole / source.divisor
    }
    guard let value = PlainNumber.double(text), abs(value) < 1e15 else {
      throw Refusal(reason: "must be a whole number")
    }
    let quotient = value / Double(source.divisor)
    let whole = quotient.rounded()
    if whole != quotient {
      guard source.rounds else { throw Refusal(reason: "must be a whole number") }
      remark = "rounded to a whole number"
      exact = .number(JSONNumber(trusted: quotient.description))
    }
    return Int64(whole)
  }

  /// Returns the number in the spelling of JSON, without its unit.
  private func numberText(_ tree: SourceTree) throws(Refusal) -> String {
    switch tree {
    case .json(.number(let number)): return try converted(number.text, from: "")
    case .json(.string(let text)):
      let written = try written(text)
      return try converted(written.text, from: written.unit)
    default: throw Refusal(reason: "must be a number")
    }
  }

  private func written(_ text: String) throws(Refusal) -> WrittenNumber {
    if WrittenNumber.isOtherBase(text) {
      throw Refusal(reason: "must be a decimal number, which \(text.quoted) is not")
    }
    if let mark = conventions.decimalMark {
      guard let number = WrittenNumber(text, mark) else {
        throw Refusal(
          reason: WrittenNumber.readings(text).isEmpty
            ? "must be a number"
            : "must be a number with a decimal \(mark == .point ? "point" : "comma")")
      }
      return number
    }
    let readings = WrittenNumber.readings(text)
    guard let first = readings.first else { throw Refusal(reason: "must be a number") }
    guard readings.allSatisfy({ $0.value == first.value }) else {
      throw .unclearMark(readings, text)
    }
    return first.value
  }

  /// Returns a number in the unit of the field.
  private func converted(_ text: String, from unit: String) throws(Refusal) -> String {
    let known = source.units.first { $0.name == unit }
    guard let known else {
      if unit.isEmpty, source.units.allSatisfy({ $0.factor == nil }) { return text }
      throw Refusal(
        reason: unit.isEmpty
          ? "has no unit" : "has the unit \(unit.quoted), which the map doesn't name",
        hint: "Name it in the map: \"units\": [\"kg\"] leaves it out, and"
          + " \"units\": {\"lb\": 0.45359237} converts the number.")
    }
    guard let factor = known.factor else { return text }
    guard let factor = ExactDecimal(factor.text),
      let product = ExactDecimal(text)?.multiplied(by: factor)
    else { throw outOfRange }
    return product.description
  }

  private var outOfRange: Refusal {
    Refusal(reason: "must be a number with at most 38 digits, from 1e-60 to 1e60")
  }
}

extension ValueReader.Refusal {
  /// The refusal of a number that has different meanings with a decimal point and a decimal comma.
  static func unclearMark(
    _ readings: [(convention: DecimalMark, value: WrittenNumber)], _ text: String,
    isColumn: Bool = false
  ) -> Self {
    Self(
      reason: "depends on the decimal mark: \(text.quoted) is"
        + " \(readings.map(\.value.text.shortened).joined(separator: " or "))"
        + (isColumn ? ", and no other number of the column shows which" : ""),
      hint: "Say in the map which mark the source has: \"decimal\": \".\" or \",\".")
  }
}
