import EventLog

/// A field's value in Firestore's encoding, with its size as Firestore counts it.
///
/// Sources: the REST resource `Value`, and Firestore's pages *Storage size calculations* and
/// *Quotas and limits*.
struct FirestoreValue {
  /// The reason why Firestore refuses a value. It is the predicate of a sentence about the
  /// document.
  struct UnsupportedValue: Error { let reason: String }

  static let documentBytesMax = 1 << 20
  private static let nameBytesMax = 1500
  /// The maximum nesting of maps and lists.
  private static let depthMax = 20

  let json: JSONValue
  /// The number of bytes that count toward a document's limit.
  let byteCount: Int

  private init(_ json: JSONValue, _ byteCount: Int) {
    (self.json, self.byteCount) = (json, byteCount)
  }

  init(_ value: PublishedDocument.Value) throws(UnsupportedValue) {
    switch value {
    case .timestamp(let time):
      self.init(["timestampValue": .string(time.description)], 8)
    case .json(let json): self = try Self.value(json, depth: 1)
    }
  }

  private static func value(_ json: JSONValue, depth: Int) throws(UnsupportedValue)
    -> FirestoreValue
  {
    guard depth <= depthMax else {
      throw UnsupportedValue(reason: "has more than \(depthMax) values within one another")
    }
    return switch json {
    case .null: FirestoreValue(["nullValue": .null], 1)
    case .bool(let flag): FirestoreValue(["booleanValue": .bool(flag)], 1)
    case .string(let text): FirestoreValue(["stringValue": json], text.utf8.count + 1)
    case .number(let number): FirestoreValue(try encode(number), 8)
    case .array(let values): try list(values, depth)
    case .object(let object): try map(object, depth)
    }
  }

  private static func encode(_ number: JSONNumber) throws(UnsupportedValue) -> JSONValue {
    if let integer = number.integer { return ["integerValue": .string("\(integer)")] }
    guard let double = Double(number.text), double.isFinite else {
      throw UnsupportedValue(reason: "has a number that is too large")
    }
    return ["doubleValue": .number(number)]
  }

  private static func list(_ values: [JSONValue], _ depth: Int) throws(UnsupportedValue)
    -> FirestoreValue
  {
    var (list, size): ([JSONValue], Int) = ([], 0)
    for value in values {
      if case .array = value { throw UnsupportedValue(reason: "has a list within a list") }
      let value = try Self.value(value, depth: depth + 1)
      list.append(value.json)
      size += value.byteCount
    }
    return FirestoreValue(["arrayValue": ["values": .array(list)]], size)
  }

  private static func map(_ object: JSONObject, _ depth: Int) throws(UnsupportedValue)
    -> FirestoreValue
  {
    var (fields, size): (JSONObject, Int) = ([:], 0)
    for member in object.members {
      try check(name: member.name)
      let value = try Self.value(member.value, depth: depth + 1)
      fields[member.name] = value.json
      size += member.name.utf8.count + 1 + value.byteCount
    }
    return FirestoreValue(["mapValue": ["fields": .object(fields)]], size)
  }

  static func check(name: String) throws(UnsupportedValue) {
    if name.isEmpty { throw UnsupportedValue(reason: "has a field without a name") }
    if name.hasPrefix("__"), name.hasSuffix("__") {
      throw UnsupportedValue(reason: "has a field that is called \"\(SafeText.quote(name))\"")
    }
    if name.utf8.count > nameBytesMax {
      throw UnsupportedValue(reason: "has a field whose name is longer than \(nameBytesMax) bytes")
    }
  }
}
