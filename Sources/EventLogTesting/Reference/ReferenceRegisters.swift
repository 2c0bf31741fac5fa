import EventLog

/// The registers that one event writes, each once for all of its names.
struct ReferenceRegisters {
  private struct Write {
    let row: String
    let field: FieldSchema
    /// The greatest and the least rank of the names.
    var high: Int
    var low: Int
    var value: JSONValue
    var isReadable: Bool
  }

  private let collection: CollectionSchema
  private var writes: [Write] = []
  /// Registers that aren't declared.
  private var further: [(row: String, name: String, value: JSONValue)] = []

  init(_ collection: CollectionSchema) { self.collection = collection }

  mutating func write(_ name: String, in row: String, _ value: JSONValue) {
    var isDeclared = false
    for field in row.contains("@") ? collection.dayFields : collection.fields {
      guard let rank = field.rank(of: name) else { continue }
      isDeclared = true
      guard case .register(let rule) = field.mechanism else { continue }
      // From the name's rank up, each name has the conversion to the next one.
      var shown: JSONValue? = value
      for earlier in field.supersedes.prefix(field.supersedes.count - rank).reversed() {
        shown = shown.flatMap(earlier.conversion.apply)
      }
      let write = Write(
        row: row, field: field, high: rank, low: rank,
        value: shown ?? .object(JSONObject([.init(name: name, value: value)])),
        isReadable: shown.map { $0 == .null || rule.accepts($0) } ?? false)
      add(write)
    }
    if !isDeclared, collection.takesFurtherFields { further.append((row, name, value)) }
  }

  private mutating func add(_ write: Write) {
    let known = writes.firstIndex { $0.row == write.row && $0.field.name == write.field.name }
    guard let known else { return writes.append(write) }
    let low = min(writes[known].low, write.low)
    if write.high >= writes[known].high { writes[known] = write }
    writes[known].low = low
  }

  /// - Parameter from: The day from which dated values apply, or an empty text for the beginning.
  func effects(from: String) -> [ReferenceEffect] {
    var effects: [ReferenceEffect] = further.map {
      .register(row: $0.row, field: $0.name, $0.value)
    }
    for write in writes {
      let isNewest = write.high == write.field.supersedes.count
      let ranks = ReferenceRanks(low: write.low, high: isNewest ? .max : write.high)
      effects.append(
        .register(
          row: write.row, field: write.field.name, write.value, isReadable: write.isReadable,
          ranks: ranks))
      if write.field.isDated {
        effects.append(
          .entry(
            row: write.row, field: write.field.name, from: from,
            write.isReadable ? write.value : .null, ranks: ranks))
      }
    }
    return effects
  }
}

extension FieldSchema {
  /// The rank of a name among those of the field, the oldest being 0; nil for another name.
  fileprivate func rank(of name: String) -> Int? {
    let names = supersedes.reversed().map(\.name) + [self.name]
    return names.firstIndex { ReferenceValue.isSame($0, name) }
  }
}

extension CollectionSchema {
  /// Whether a name is that of a day's field, or an earlier one.
  func isOfDay(named name: String) -> Bool { dayFields.contains { $0.rank(of: name) != nil } }

  /// Whether a name is an earlier one of a field.
  func isEarlier(_ name: String, of field: String) -> Bool {
    !ReferenceValue.isSame(name, field)
      && (fields + dayFields).contains {
        ReferenceValue.isSame($0.name, field) && $0.rank(of: name) != nil
      }
  }
}
