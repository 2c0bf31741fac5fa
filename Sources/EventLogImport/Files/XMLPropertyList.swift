import EventLog

/// Reads a property list in its XML form.
///
/// Entities declared in the file, namespaces and encodings other than UTF-8 aren't supported.
struct XMLPropertyList {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var valuesLeft = PropertyList.valuesMax

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  private enum Tag {
    case begin(String)
    case empty(String)
    case end(String)
  }

  mutating func top() throws(PropertyListFault) -> SourceTree {
    guard case .begin("plist") = try tag() else { throw fault("it does not begin with <plist>") }
    let value = try value(of: try tag(), depth: 0)
    guard case .end("plist") = try tag() else { throw fault("it holds more than one value") }
    try skipBetween()
    guard index == bytes.count else { throw fault("something follows </plist>") }
    return value
  }

  private func fault(_ reason: String) -> PropertyListFault {
    let column = SourceText.column(of: index, in: bytes)
    return PropertyListFault(
      reason: "\(reason) (line \(line), column \(column))", line: line, byte: index)
  }

  // MARK: - Values

  private mutating func value(
    of tag: Tag, depth: Int
  ) throws(PropertyListFault) -> SourceTree {
    if valuesLeft == 0 { throw fault(PropertyListFault.tooMany) }
    valuesLeft -= 1
    switch tag {
    case .empty("true"): return .json(true)
    case .empty("false"): return .json(false)
    case .empty("string"): return .json("")
    case .empty("data"): return .bytes([])
    case .empty("array"): return .list([])
    case .empty("dict"): return .members([])
    case .begin("array"): return try list(depth: depth)
    case .begin("dict"): return try members(depth: depth)
    case .begin(let name): return try leaf(name)
    case .empty(let name), .end(let name): throw fault("<\(name)> stands where a value should")
    }
  }

  private mutating func list(depth: Int) throws(PropertyListFault) -> SourceTree {
    if depth >= SourceTree.depthMax { throw fault(PropertyListFault.tooDeep) }
    var trees: [SourceTree] = []
    while true {
      let tag = try tag()
      if case .end("array") = tag { return .list(trees) }
      trees.append(try value(of: tag, depth: depth + 1))
    }
  }

  private mutating func members(depth: Int) throws(PropertyListFault) -> SourceTree {
    if depth >= SourceTree.depthMax { throw fault(PropertyListFault.tooDeep) }
    var members: [(name: String, value: SourceTree)] = []
    var names: Set<[UInt8]> = []
    while true {
      let name: String
      switch try tag() {
      case .end("dict"): return .members(members)
      case .begin("key"): name = try text(upTo: "key")
      case .empty("key"): name = ""
      default: throw fault("a dictionary needs a <key> before each value")
      }
      guard names.insert(Array(name.utf8)).inserted else {
        throw fault(PropertyListFault.twice(name))
      }
      members.append((name, try value(of: try tag(), depth: depth + 1)))
    }
  }

  private mutating func leaf(_ name: String) throws(PropertyListFault) -> SourceTree {
    let text = try text(upTo: name)
    let trimmed = Self.trimmed(text)
    switch name {
    case "string": return .json(.string(text))
    case "data":
      guard let bytes = Base64.decode(text.utf8) else { throw fault("a <data> is not Base64") }
      return .bytes(bytes[...])
    // Some writers write `<true></true>`.
    case "true" where trimmed.isEmpty: return .json(true)
    case "false" where trimmed.isEmpty: return .json(false)
    case "integer":
      guard let number = Self.integer(trimmed) else {
        throw fault("an <integer> is not a whole number")
      }
      return .json(.number(number))
    case "real":
      guard let number = Self.real(trimmed) else { throw fault("a <real> is not a number") }
      return SourceTree(real: number)
    case "date":
      guard let time = Timestamp(trimmed) else {
        throw fault("a <date> is not a time such as 2026-01-28T09:12:33Z")
      }
      return .moment(time)
    default: throw fault("<\(name.prefix(20))> is no part of a property list")
    }
  }

  private static func integer(_ text: String) -> JSONNumber? {
    let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
    let value = isHex ? Int128(text.dropFirst(2), radix: 16) : Int128(text)
    return value.map { JSONNumber(trusted: String($0)) }
  }

  /// `Double` also reads hexadecimal numbers.
  private static func real(_ text: String) -> Double? {
    text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") } ? nil : Double(text)
  }

  private static func trimmed(_ text: String) -> String {
    func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let head = text.utf8.drop(while: isSpace)
    return String(Substring(head.dropLast(head.reversed().prefix(while: isSpace).count)))
  }

  // MARK: - Markup

  /// Skips white space, comments, the XML declaration and the document type.
  private mutating func skipBetween() throws(PropertyListFault) {
    while index < bytes.count {
      switch bytes[index] {
      case 0x0A:
        line += 1
        index += 1
      case 0x20, 0x09, 0x0D: index += 1
      case UInt8(ascii: "<") where bytes[index...].starts(with: "<!--".utf8):
        try skip(past: "-->")
      case UInt8(ascii: "<") where bytes[index...].starts(with: "<?".utf8):
        try skip(past: "?>")
      case UInt8(ascii: "<") where bytes[index...].starts(with: "<!DOCTYPE".utf8):
        let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
        if bytes[index..<end].contains(UInt8(ascii: "[")) {
          throw fault("it declares entities of its own")
        }
        try skip(past: ">")
      default: return
      }
    }
  }

  private mutating func skip(past text: String) throws(PropertyListFault) {
    let mark = Array(text.utf8)
    while index < bytes.count {
      if bytes[index...].starts(with: mark) {
        index += mark.count
        return
      }
      if bytes[index] == 0x0A { line += 1 }
      index += 1
    }
    throw fault("it is cut off")
  }

  private mutating func tag() throws(PropertyListFault) -> Tag {
    try skipBetween()
    guard index < bytes.count else { throw fault("it is cut off") }
    guard bytes[index] == UInt8(ascii: "<") else { throw fault("it holds text outside of a value") }
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else {
      throw fault("it is cut off")
    }
    var inside = bytes[(index + 1)..<end]
    line += inside.count { $0 == 0x0A }
    index = end + 1
    let isEnd = inside.first == UInt8(ascii: "/")
    if isEnd { inside = inside.dropFirst() }
    let isEmpty = inside.last == UInt8(ascii: "/")
    if isEmpty { inside = inside.dropLast() }
    let name = String(
      decoding: inside.prefix { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
    return isEnd ? .end(name) : isEmpty ? .empty(name) : .begin(name)
  }

  /// Returns the text of an element without child elements and skips its end tag.
  private mutating func text(upTo name: String) throws(PropertyListFault) -> String {
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "<"):
        if bytes[index...].starts(with: "<![CDATA[".utf8) {
          index += 9
          let start = index
          try skip(past: "]]>")
          text += bytes[start..<index - 3]
          continue
        }
        guard case .end(name) = try tag() else { throw fault("<\(name)> has something inside") }
        guard let text = String(validating: text, as: UTF8.self) else {
          throw fault("it is not valid UTF-8")
        }
        return text
      case UInt8(ascii: "&"): text += try reference()
      default:
        if byte == 0x0A { line += 1 }
        text.append(byte)
        index += 1
      }
    }
    throw fault("it is cut off")
  }

  private static let named: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  /// Reads a character reference, such as `&amp;`.
  private mutating func reference() throws(PropertyListFault) -> [UInt8] {
    let part = bytes[index...].prefix(12)
    guard let end = part.firstIndex(of: UInt8(ascii: ";")) else {
      throw fault("an & begins no character")
    }
    let name = String(decoding: part[(index + 1)..<end], as: UTF8.self)
    var scalar = Self.named[name]
    if name.hasPrefix("#x") {
      scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    } else if name.hasPrefix("#") {
      scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
    }
    guard let scalar else { throw fault("an & begins no character") }
    index = end + 1
    return Array(String(scalar).utf8)
  }
}
