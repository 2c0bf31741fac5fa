// MARK: - Single values and short lists

extension TableVisitor {
  package mutating func number<Number: FixedWidthInteger>(
    _ number: inout Number, in range: ClosedRange<Int64> = 0...LineLimits.sequenceMax
  ) throws(ColumnFault) {
    switch task {
    case .sharing: break
    case .writing: encoder.write(Int64(number))
    case .reading: number = Number(try decoder.number(in: range))
    }
  }

  package mutating func flag(_ flag: inout Bool) throws(ColumnFault) {
    var number = flag ? 1 : 0
    try self.number(&number, in: 0...1)
    flag = number == 1
  }

  package mutating func text(_ text: inout String) throws(ColumnFault) {
    switch task {
    case .sharing: break
    case .writing: encoder.write(text: text)
    case .reading: text = try decoder.text()
    }
  }

  package mutating func text(_ text: inout String?) throws(ColumnFault) {
    try optional(&text, { $0 }, { $0 })
  }

  /// Visits a value by its spelling.
  package mutating func spelled<Value>(
    _ value: inout Value, _ spelling: (Value) -> String, _ parse: (String) -> Value?
  ) throws(ColumnFault) {
    if task == .sharing { return }
    var text = isWriting ? spelling(value) : ""
    try self.text(&text)
    guard let found = parse(text) else { throw ColumnFault() }
    value = found
  }

  package mutating func optional<Value>(
    _ value: inout Value?, _ spelling: (Value) -> String, _ parse: (String) -> Value?
  ) throws(ColumnFault) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    try spelled(&value, { $0.map(spelling) ?? "" }, { .some(parse($0)) })
    guard value != nil else { throw ColumnFault() }
  }

  /// Visits the elements of a list of at most `most`.
  package mutating func list<Element>(
    _ list: inout [Element], _ blank: @autoclosure () -> Element, upTo most: Int = .max,
    _ visit: (inout Element, inout Self) throws(ColumnFault) -> Void
  ) throws(ColumnFault) {
    if task == .sharing { return }
    var count = list.count
    try number(&count, in: 0...Int64(most))
    let old = list
    list = []
    for index in 0..<count {
      var element = isReading ? blank() : old[index]
      try visit(&element, &self)
      list.append(element)
    }
  }
}
