import EventLog
import EventLogImport
import EventLogTesting

/// A property list has one meaning, in either of its forms, or is refused with its name.
///
/// All of its content is imported, or nothing.
///
/// Input: a property list, XML or binary.
enum PropertyListTarget {
  private static let path = "/Export.plist"
  /// A map into a field that accepts any value.
  private static let anything = """
    {"source":"x","keys":{"a":{"kind":"settings","field":"a","as":"any","undeclared":true}},
    "ignored":["b*"]}
    """

  static func check(_ input: [UInt8]) async throws {
    let tree: SourceTree
    do throws(EventLogError) { tree = try PropertyList.read(input, name: path) } catch {
      try Finding.require(
        error.code == .invalidInput && error.location.file == path
          && error.message.contains(path), "Unexpected: \(error)")
      // Bytes in neither form may be JSON to an import.
      return try await importing(input)
    }
    let second = try PropertyList.read(input, name: path)
    try Finding.require(tree.isSame(as: second), "Read twice, it is two.")
    if let text = XMLText.of(tree) {
      let other = try PropertyList.read(text, name: path)
      try Finding.require(tree.isSame(as: other), "As XML it is another one.")
    }
    try await importing(input)
  }

  private static func importing(_ input: [UInt8]) async throws {
    let maps = [try ImportMap(parsing: anything.utf8), ImportMap.builtIn("settings")!]
    for map in maps { try await ForeignImport(input, named: path).check(by: map) }
  }
}

extension SourceTree {
  func isSame(as other: SourceTree) -> Bool {
    switch (self, other) {
    case (.json(let left), .json(let right)): left == right
    case (.moment(let left), .moment(let right)): left == right
    case (.bytes, .bytes): true
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.members(let left), .members(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy {
          $0.name.hasBytes(of: $1.name) && $0.value.isSame(as: $1.value)
        }
    default: false
    }
  }
}

/// Writes a property list as XML.
private struct XMLText {
  private var bytes: [UInt8] = []

  /// Returns nil if XML can't express the list, or if it is very long because it refers to itself.
  static func of(_ tree: SourceTree) -> [UInt8]? {
    var text = XMLText()
    text.bytes += "<plist>".utf8
    guard text.add(tree) else { return nil }
    return text.bytes + "</plist>".utf8
  }

  private mutating func add(_ tree: SourceTree) -> Bool {
    if bytes.count > 1 << 20 { return false }
    switch tree {
    case .json(.bool(let flag)): bytes += (flag ? "<true/>" : "<false/>").utf8
    case .json(.string(let text)): element("string", text)
    case .json(.number(let number)):
      element(Int128(number.text) == nil ? "real" : "integer", number.text)
    case .json: return false
    case .moment(let time): element("date", time.description)
    case .bytes: bytes += "<data>AAEC</data>".utf8
    case .list(let trees):
      bytes += "<array>".utf8
      for tree in trees where !add(tree) { return false }
      bytes += "</array>\n".utf8
    case .members(let members):
      bytes += "<dict>".utf8
      for (name, tree) in members {
        element("key", name)
        if !add(tree) { return false }
      }
      bytes += "</dict>\n".utf8
    }
    return true
  }

  private mutating func element(_ name: String, _ text: String) {
    bytes += "<\(name)>".utf8
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&#60;".utf8
      default: bytes.append(byte)
      }
    }
    bytes += "</\(name)>".utf8
  }
}
