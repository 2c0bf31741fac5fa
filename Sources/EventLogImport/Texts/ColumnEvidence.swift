/// The conventions that the values of a column allow, such as the order of a date's parts.
struct ColumnEvidence<Convention: Hashable & CaseIterable> {
  /// The conventions in which all values so far have a meaning.
  private(set) var possible = Set(Convention.allCases)
  /// The first value with different meanings in each two conventions.
  private var unclear: [(conventions: Set<Convention>, row: Int, text: String)] = []

  /// - Parameter readings: The meanings of the value in each convention in which it has one.
  mutating func add<Value: Equatable>(
    _ readings: [(convention: Convention, value: Value)], _ text: String, row: Int
  ) {
    // A value without any meaning is refused later, with its reason.
    guard !readings.isEmpty, possible.count > 1 else { return }
    if readings.count < Convention.allCases.count {
      let found = possible.intersection(readings.map(\.convention))
      if !found.isEmpty { possible = found }
      if possible.count == 1 { decisive = (row, text) }
    }
    for (index, left) in readings.enumerated() {
      for right in readings[(index + 1)...] where left.value != right.value {
        let both: Set = [left.convention, right.convention]
        if both.isSubset(of: possible), !unclear.contains(where: { $0.conventions == both }) {
          unclear.append((both, row, text))
        }
      }
    }
  }

  /// The value that left one convention.
  private(set) var decisive: (row: Int, text: String)?

  /// The first value whose meaning is unclear, or nil if there is none.
  var question: (row: Int, text: String)? {
    unclear.first { $0.conventions.isSubset(of: possible) }.map { ($0.row, $0.text) }
  }
}
