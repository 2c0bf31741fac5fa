package import EventLog

/// Random declarations of an app in two or three versions: renames, units, cases, splits, looser
/// and stricter rules, added and removed fields and kinds.
package struct RandomVersions {
  private var random: SplitMix64
  private var nameCount = 0

  package init(seed: UInt64) { random = SplitMix64(seed: seed &* 31 &+ 7) }

  /// Returns the collections of each version, the oldest first.
  ///
  /// - Throws: `invalidSchema` never, because the declarations are valid.
  package mutating func make() throws(EventLogError) -> [SchemaCatalog] {
    var fields: [FieldSchema] = [
      FieldSchema("a", .register(.text)), FieldSchema("b", .register(.integer(0...5))),
      FieldSchema("c", .register(.text), isDated: chance(2)), FieldSchema("n", .counter),
      FieldSchema("s", .members),
    ]
    var days = [FieldSchema("e", .register(.number))]
    var versions: [SchemaCatalog] = []
    for version in 0..<Int.random(in: 2...3, using: &random) {
      if version > 0 {
        fields = fields.flatMap { changed($0) } + (chance(2) ? [added()] : [])
        days = days.flatMap { changed($0) }
      }
      var collections = [CollectionSchema(kind: "plant", fields: fields, dayFields: days)]
      // A kind that later versions may lack.
      if version == 0 || chance(2) {
        collections.append(
          CollectionSchema(
            kind: "prefs", isSingleton: true, fields: [FieldSchema("theme", .register(.text))]))
      }
      versions.append(try SchemaCatalog(collections))
    }
    return versions
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func name() -> String {
    nameCount += 1
    return "f\(nameCount)"
  }

  private mutating func added() -> FieldSchema { FieldSchema(name(), .register(.text)) }

  /// The fields that a later version has in place of one.
  private mutating func changed(_ old: FieldSchema) -> [FieldSchema] {
    guard case .register(let rule) = old.mechanism else { return chance(8) ? [] : [old] }
    switch (Int.random(in: 0..<6, using: &random), rule) {
    case (0, _): return [successor(of: old, rule, .same, back: .same)]
    case (1, .text):
      return [
        successor(
          of: old, .text, .map(["one": "1", "two": "2"]), back: .map(["1": "one", "2": "two"]))
      ]
    case (2, .text):
      return [
        successor(of: old, .text, .split(at: "w", .first), back: nil),
        successor(of: old, .text, .split(at: "w", .rest), back: nil),
      ]
    case (1, _), (2, _):
      return [successor(of: old, .number, .times(20, over: 3), back: .times(3, over: 20))]
    case (3, _):
      // A looser or stricter rule under the same name.
      var field = old
      field.mechanism = .register(
        rule == .text ? .any : rule == .number ? .integer(0...2) : .number)
      if case .register(.any) = field.mechanism,
        field.supersedes.contains(where: { $0.conversion != .same })
      {
        return [old]
      }
      return [field]
    case (4, _): return chance(3) ? [] : [old]
    default: return [old]
    }
  }

  private mutating func successor(
    of old: FieldSchema, _ rule: ValueRule, _ conversion: ValueConversion, back: ValueConversion?
  ) -> FieldSchema {
    // An older name is written only together with all later ones, and never from a part.
    let writing = chance(2) ? back : nil
    let earlier = old.supersedes.map { earlier in
      var earlier = earlier
      if writing == nil { earlier.writing = nil }
      return earlier
    }
    return FieldSchema(
      name(), .register(rule), isDated: old.isDated,
      supersedes: [SupersededField(old.name, conversion, writing: writing)] + earlier)
  }
}
