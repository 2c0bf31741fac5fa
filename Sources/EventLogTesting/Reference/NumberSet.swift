/// A set of small whole numbers, stored as bits, for events by their index in a list.
package struct NumberSet: Sendable, Hashable {
  /// The last word is never 0, so that equal sets have equal words.
  private var words: [UInt64] = []

  package init() {}

  package init(_ numbers: some Sequence<Int>) { for number in numbers { insert(number) } }

  package var isEmpty: Bool { words.isEmpty }

  /// The numbers in ascending order.
  package var numbers: [Int] {
    var numbers: [Int] = []
    for index in words.indices {
      var word = words[index]
      while word != 0 {
        numbers.append(index * 64 + word.trailingZeroBitCount)
        word &= word - 1
      }
    }
    return numbers
  }

  package func contains(_ number: Int) -> Bool {
    let index = number / 64
    return index < words.count && words[index] & (1 << UInt64(number % 64)) != 0
  }

  package mutating func insert(_ number: Int) {
    let index = number / 64
    while words.count <= index { words.append(0) }
    words[index] |= 1 << UInt64(number % 64)
  }

  package mutating func remove(_ number: Int) {
    let index = number / 64
    guard index < words.count else { return }
    words[index] &= ~(1 << UInt64(number % 64))
    trim()
  }

  package mutating func formUnion(_ other: NumberSet) {
    while words.count < other.words.count { words.append(0) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  package mutating func formIntersection(_ other: NumberSet) {
    words.removeLast(max(0, words.count - other.words.count))
    for index in words.indices { words[index] &= other.words[index] }
    trim()
  }

  package mutating func subtract(_ other: NumberSet) {
    for index in words.indices where index < other.words.count {
      words[index] &= ~other.words[index]
    }
    trim()
  }

  package func union(_ other: NumberSet) -> NumberSet {
    var set = self
    set.formUnion(other)
    return set
  }

  package func intersection(_ other: NumberSet) -> NumberSet {
    var set = self
    set.formIntersection(other)
    return set
  }

  package func subtracting(_ other: NumberSet) -> NumberSet {
    var set = self
    set.subtract(other)
    return set
  }

  package func isSubset(of other: NumberSet) -> Bool { subtracting(other).isEmpty }

  private mutating func trim() { while words.last == 0 { words.removeLast() } }
}
