/// An earlier name of a field, and how its values become values of the next name.
///
/// The names are one field when they are read. A write replaces what its writer had seen, but not a
/// write that has only later names: an older version of the app couldn't show that. Both values are
/// then a conflict.
public struct SupersededField: Sendable, Hashable {
  /// The earlier name.
  public var name: String
  /// The conversion of a value to the next name.
  public var conversion: ValueConversion
  /// The conversion back, with which each write also writes the earlier name, or `nil`.
  ///
  /// Devices with an older version then show what a newer one writes, and may replace it.
  public var writing: ValueConversion?

  /// Creates an earlier name.
  ///
  /// - Parameters:
  ///   - name: The earlier name.
  ///   - conversion: The conversion of a value to the next name.
  ///   - writing: The conversion back, or `nil` not to write the earlier name.
  public init(
    _ name: String, _ conversion: ValueConversion = .same, writing: ValueConversion? = nil
  ) {
    (self.name, self.conversion, self.writing) = (name, conversion, writing)
  }
}

/// A field that shows what is written under a name.
package struct FieldReader: Sendable {
  package let field: FieldSchema
  /// The rank of the name among those of the field. The oldest name has rank 0.
  package let rank: Int
  private let conversions: [ValueConversion]

  fileprivate init(_ field: FieldSchema, rank: Int) {
    (self.field, self.rank) = (field, rank)
    conversions = field.supersedes.prefix(field.supersedes.count - rank).map(\.conversion)
      .reversed()
  }

  /// The later names of the field, with which an event shows another value.
  var laterNames: ArraySlice<String> { field.names.prefix(field.supersedes.count - rank) }

  /// Whether the name is the field's own.
  package var isNewest: Bool { rank == field.supersedes.count }

  /// Whether the field can show a value.
  func accepts(_ value: JSONValue) -> Bool {
    guard case .register(let rule) = field.mechanism else { return false }
    return shown(value).map(rule.accepts) ?? false
  }

  /// The value that the field shows, or nil if a value can't be converted.
  package func shown(_ value: JSONValue) -> JSONValue? {
    conversions.reduce(value) { value, conversion in value.flatMap(conversion.apply) }
  }
}

extension FieldSchema {
  /// The field's own name, and then the earlier ones, the latest first.
  var names: [String] { [name] + supersedes.map(\.name) }

  /// Whether the field's own name or an earlier one passes a test.
  func hasName(where isWanted: (String) -> Bool) -> Bool {
    isWanted(name) || supersedes.contains { isWanted($0.name) }
  }

  /// Whether a name is the field's own or an earlier one.
  func hasName(_ name: String) -> Bool { hasName { $0.hasBytes(of: name) } }

  /// The reader of writes under a name, or nil if it is neither the field's own nor an earlier one.
  func reader(of name: String) -> FieldReader? {
    if self.name.hasBytes(of: name) { return FieldReader(self, rank: supersedes.count) }
    return supersedes.firstIndex { $0.name.hasBytes(of: name) }
      .map { FieldReader(self, rank: supersedes.count - 1 - $0) }
  }

  /// The earlier names that a write of a value writes as well, with their values.
  func writesBeside(_ value: JSONValue) -> [JSONObject.Member] {
    var (members, value) = ([JSONObject.Member](), value)
    for earlier in supersedes {
      guard let converted = earlier.writing?.apply(value) else { break }
      members.append(.init(name: earlier.name, value: converted))
      value = converted
    }
    return members
  }
}

extension CollectionSchema {
  /// The fields that show what is written under a name: the field itself, or all that supersede it.
  package func readers(of name: String, ofDay: Bool = false) -> [FieldReader] {
    let fields = ofDay ? dayFields : fields
    // A field that isn't needed isn't copied: an append asks this for each of its members.
    return fields.indices.filter { fields[$0].hasName(name) }.compactMap {
      fields[$0].reader(of: name)
    }
  }

  /// Whether a name is an earlier one of any field.
  func hasEarlierName(_ name: String) -> Bool {
    [false, true].contains { ofDay in
      let fields = ofDay ? dayFields : fields
      return fields.indices.contains { index in
        fields[index].supersedes.contains { $0.name.hasBytes(of: name) }
      }
    }
  }

  /// Whether a name is that of a day's field, or an earlier one.
  func isOfDay(_ name: String) -> Bool {
    dayFields.indices.contains(where: { dayFields[$0].hasName(name) })
  }
}
