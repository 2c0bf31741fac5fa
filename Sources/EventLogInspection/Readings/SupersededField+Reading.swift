import EventLog

extension ValueConversion {
  /// - Parameter position: The position in the schema file, for messages.
  init(json: JSONValue, at position: String) throws(EventLogError) {
    let reader = try SchemaReader(
      json, at: position, taking: ["times", "over", "map", "split", "part"])
    func number(_ name: String) throws(EventLogError) -> Int? {
      guard let value = reader.object[name] else { return nil }
      guard case .number(let number) = value, let whole = number.integer else {
        throw reader.refused("needs a whole number for \"\(name)\"")
      }
      return Int(whole)
    }
    if let factor = try number("times") {
      self = .times(factor, over: try number("over") ?? 1)
      try reader.refuse(apartFrom: ["times", "over"])
    } else if let separator = try reader.text("split") {
      guard let part = Part(rawValue: try reader.neededText("part")) else {
        throw reader.refused("needs \"first\" or \"rest\" for \"part\"")
      }
      self = .split(at: separator, part)
      try reader.refuse(apartFrom: ["split", "part"])
    } else if reader.object["map"] != nil {
      var texts: [String: String] = [:]
      for member in try reader.members("map") {
        guard case .string(let text) = member.value else {
          throw reader.refused("maps \"\(member.name)\" to something that is not text")
        }
        texts[member.name] = text
      }
      self = .map(texts)
      try reader.refuse(apartFrom: ["map"])
    } else {
      guard reader.object.members.isEmpty else {
        throw reader.refused("has no conversion", hint: "Use times, map or split.")
      }
      self = .same
    }
  }
}

extension SupersededField {
  /// - Parameter position: The position in the schema file, for messages.
  init(json: JSONValue, at position: String) throws(EventLogError) {
    if case .string(let name) = json {
      self.init(name)
      return
    }
    let reader = try SchemaReader(json, at: position, taking: ["field", "by", "writing"])
    var conversions: [ValueConversion?] = []
    for name in ["by", "writing"] {
      let value = reader.object[name]
      conversions.append(
        try value.map { (value) throws(EventLogError) in
          try ValueConversion(json: value, at: "\(position).\(name)")
        })
    }
    self.init(
      try reader.neededText("field"), conversions[0] ?? .same, writing: conversions[1])
  }
}

extension SchemaReader {
  /// Throws `invalidSchema` if there are members of another conversion.
  fileprivate func refuse(apartFrom names: [String]) throws(EventLogError) {
    guard let other = object.members.first(where: { !names.contains($0.name) }) else { return }
    throw refused("has \"\(other.name)\" besides \"\(names[0])\"", hint: "Use one conversion.")
  }
}
