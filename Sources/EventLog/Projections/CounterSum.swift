/// A sum of a counter's assignment and increments, of which some may be unreadable.
///
/// It is one number of millionths. The amounts alone stay within ±2^82: 2^31 increments of at most
/// 10^15. Each unreadable amount adds 2^84, and an assignment of `null` adds 2^118, so a sum shows
/// whether it contains any.
package struct CounterSum: Sendable, Hashable, BitwiseCopyable {
  // Two words, because an Int128 would align each table that contains it to 16 bytes.
  var low: Int64
  var high: Int64

  /// A total, as it is shown.
  package enum Total: Sendable, Hashable {
    /// Nothing was recorded.
    case none
    case amount(Amount)
    /// An amount in it is one that this version can't read.
    case unreadable

    /// The total in JSON, or nil if there is none to show.
    package var json: JSONValue? { amount.map { .number($0.number) } }

    package var amount: Amount? { if case .amount(let amount) = self { amount } else { nil } }
  }

  package static let zero = CounterSum(sum: 0)
  /// An amount that this version can't read.
  package static let unreadable = CounterSum(sum: 1 << unreadableShift)
  /// The assignment of `null`: only increments make a value.
  package static let null = CounterSum(sum: 1 << nullShift)

  private static let unreadableShift: Int128 = 84
  private static let nullShift: Int128 = 118

  @inline(__always)
  private init(sum value: Int128) {
    low = Int64(truncatingIfNeeded: value)
    high = Int64(truncatingIfNeeded: value >> 64)
  }

  package init(_ amount: Amount) { self.init(sum: amount.millionths) }

  @inline(__always)
  private var value: Int128 { Int128(high) << 64 | Int128(UInt64(bitPattern: low)) }

  @inline(__always)
  static func + (one: CounterSum, other: CounterSum) -> CounterSum {
    CounterSum(sum: one.value &+ other.value)
  }

  @inline(__always)
  package static func - (one: CounterSum, other: CounterSum) -> CounterSum {
    CounterSum(sum: one.value &- other.value)
  }

  static func += (sum: inout CounterSum, other: CounterSum) { sum = sum + other }

  package static func -= (sum: inout CounterSum, other: CounterSum) { sum = sum - other }

  /// The sum, even below 0, or nil if it isn't known or contains `null`.
  package var amount: Amount? {
    value.magnitude < 1 << (Self.unreadableShift - 1) ? Amount(millionths: value) : nil
  }

  /// Whether an assignment in it isn't `null`.
  var isAssigned: Bool { Self.rounded(value, Self.nullShift) == 0 }

  /// The total that results.
  ///
  /// - Parameter isAssigned: Whether an assignment is part of the sum.
  @inline(__always)
  func total(isAssigned: Bool) -> Total {
    // Nearly all are amounts.
    if high == 0, low >= 0 {
      return isAssigned || low > 0 ? .amount(Amount(millionths: value)) : .none
    }
    return rareTotal(isAssigned: isAssigned)
  }

  @inline(never)
  private func rareTotal(isAssigned: Bool) -> Total {
    let nulls = Self.rounded(value, Self.nullShift)
    let rest = value - nulls << Self.nullShift
    let unreadables = Self.rounded(rest, Self.unreadableShift)
    if unreadables != 0 { return .unreadable }
    if isAssigned, nulls == 0 { return .amount(Amount(millionths: max(0, rest))) }
    return rest > 0 ? .amount(Amount(millionths: rest)) : .none
  }

  /// The nearest multiple of 2^shift, divided by it.
  private static func rounded(_ value: Int128, _ shift: Int128) -> Int128 {
    (value + 1 << (shift - 1)) >> shift
  }
}

extension Column {
  /// The columns of a sum.
  static func counterSum(_ path: KeyPath<Row, CounterSum>) -> [Column] {
    let any = Int64.min ... .max
    return [Column(path, .init(\.low, in: any)), Column(path, .init(\.high, in: any))]
  }
}
