extension ValueRule {
  /// The rule as it is written in a schema file, such as `text`, `integer 1...`, or `list of date`.
  public var spelling: String {
    switch self {
    case .any: return "any"
    case .text: return "text"
    case .number: return "number"
    case .quantity: return "quantity"
    case .amount: return "amount"
    case .boolean: return "boolean"
    case .date: return "date"
    case .time: return "time"
    case .schedule: return "schedule"
    case .attachment: return "attachment"
    case .entity(let kind): return "entity \(kind)"
    case .list(let rule): return "list of \(rule.spelling)"
    case .integer(let bounds):
      let most = LineLimits.sequenceMax
      if bounds == -most...most { return "integer" }
      let upper = bounds.upperBound == most ? "" : String(bounds.upperBound)
      return "integer \(bounds.lowerBound)...\(upper)"
    }
  }

  /// Any whole number that every JSON reader preserves: from −(2^53 − 1) to 2^53 − 1.
  public static let wholeNumber = ValueRule.integer(
    -LineLimits.sequenceMax...LineLimits.sequenceMax)

  /// The first words of all spellings.
  package static let words = [
    "any", "text", "number", "quantity", "amount", "integer", "boolean", "date", "time", "schedule",
    "entity", "attachment", "list",
  ]

  /// The maximum nesting of lists.
  static let depthMax = 8

  /// Creates a rule from its ``spelling``, or returns `nil` if it isn't valid.
  public init?(spelling text: String) {
    self.init(text, depth: 1)
  }

  private init?(_ text: String, depth: Int) {
    guard depth <= Self.depthMax else { return nil }
    switch text {
    case "any": self = .any
    case "text": self = .text
    case "number": self = .number
    case "quantity": self = .quantity
    case "amount": self = .amount
    case "boolean": self = .boolean
    case "date": self = .date
    case "time": self = .time
    case "schedule": self = .schedule
    case "attachment": self = .attachment
    case "integer": self = .wholeNumber
    default:
      let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "entity":
        guard EntityID(kind: String(parts[1]), key: "a") != nil else { return nil }
        self = .entity(kind: String(parts[1]))
      case "list":
        guard parts[1].hasPrefix("of "),
          let rule = ValueRule(String(parts[1].dropFirst(3)), depth: depth + 1)
        else { return nil }
        self = .list(of: rule)
      case "integer":
        guard let bounds = Self.bounds(parts[1]) else { return nil }
        self = .integer(bounds)
      default: return nil
      }
    }
  }

  /// Reads `1...10`, or `1...` for a rule without its own upper bound.
  private static func bounds(_ text: Substring) -> ClosedRange<Int64>? {
    guard let dots = text.firstRange(of: "...") else { return nil }
    func number(_ part: Substring) -> Int64? {
      guard let number = Int64(part), String(number) == part,
        number.magnitude <= LineLimits.sequenceMax.magnitude
      else { return nil }
      return number
    }
    let rest = text[dots.upperBound...]
    guard let lower = number(text[..<dots.lowerBound]),
      let upper = rest.isEmpty ? LineLimits.sequenceMax : number(rest), lower <= upper
    else { return nil }
    return lower...upper
  }

  /// Whether the ``spelling`` results in the same rule.
  var isSpellable: Bool { ValueRule(spelling: spelling) == self }
}
