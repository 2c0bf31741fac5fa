/// An element of an XML response. Attributes and namespaces are ignored, and document type
/// declarations are refused.
///
/// This isn't a general parser: expanding the declarations of an untrusted document isn't safe.
struct XMLElement: Sendable {
  /// The name without its namespace prefix.
  let name: String
  /// The text in the element, without that of its children.
  private(set) var text = ""
  private(set) var children: [XMLElement] = []

  /// The first child with a name.
  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Parses a document. Nil if it isn't well-formed or uses an unsupported feature.
  ///
  /// Elements may be nested at most 64 deep.
  init?(parsing bytes: [UInt8]) {
    var reader = XMLReader(bytes)
    guard let root = reader.document() else { return nil }
    self = root
  }

  fileprivate init(name: String) { self.name = name }
  fileprivate mutating func add(_ text: String) { self.text += text }
  fileprivate mutating func add(_ child: XMLElement) { children.append(child) }
}

private struct XMLReader {
  private static let depthMax = 64

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  private enum Piece {
    case begin(String, isEmpty: Bool)
    case end(String)
    case text(String)
  }

  mutating func document() -> XMLElement? {
    var open: [XMLElement] = []
    while let piece = next() {
      switch piece {
      case .text(let text):
        if open.isEmpty {
          guard text.allSatisfy(\.isWhitespace) else { return nil }
        } else {
          open[open.count - 1].add(text)
        }
      case .begin(let name, let isEmpty):
        guard open.count < Self.depthMax else { return nil }
        open.append(XMLElement(name: name))
        if !isEmpty { continue }
        fallthrough
      case .end:
        if case .end(let name) = piece, open.last?.name != name { return nil }
        guard let element = open.popLast() else { return nil }
        guard let last = open.indices.last else { return isAtEnd() ? element : nil }
        open[last].add(element)
      }
    }
    return nil
  }

  /// Whether only whitespace and comments follow.
  private mutating func isAtEnd() -> Bool {
    while index < bytes.count {
      guard case .text(let text)? = next(), text.allSatisfy(\.isWhitespace) else { return false }
    }
    return true
  }

  private mutating func next() -> Piece? {
    guard index < bytes.count else { return nil }
    guard bytes[index] == UInt8(ascii: "<") else { return plainText() }
    if skip("<!--") { return skip(past: "-->") == nil ? nil : .text("") }
    if skip("<?") { return skip(past: "?>") == nil ? nil : .text("") }
    if skip("<![CDATA[") {
      return skip(past: "]]>").flatMap { String(validating: $0, as: UTF8.self) }.map(Piece.text)
    }
    // A document type declaration.
    if skip("<!") { return nil }
    return tag()
  }

  private mutating func tag() -> Piece? {
    index += 1
    let isEnd = skip("/")
    guard let inside = tagBytes() else { return nil }
    let isEmpty = inside.last == UInt8(ascii: "/")
    let name = inside.prefix { !XMLReader.isSpace($0) && $0 != UInt8(ascii: "/") }
    guard let full = String(validating: name, as: UTF8.self), !full.isEmpty else { return nil }
    let local = String(full.split(separator: ":").last ?? "")
    return isEnd ? .end(local) : .begin(local, isEmpty: isEmpty)
  }

  /// The bytes of a tag, up to the first `>` outside of quotes.
  private mutating func tagBytes() -> ArraySlice<UInt8>? {
    let start = index
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return bytes[start..<(index - 1)]
      }
    }
    return nil
  }

  private mutating func plainText() -> Piece? {
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") { index += 1 }
    guard let text = String(validating: bytes[start..<index], as: UTF8.self) else { return nil }
    return Self.unescaped(text).map(Piece.text)
  }

  /// Replaces references. Nil for an invalid or undeclared one.
  private static func unescaped(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var plain = ""
    for (number, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated()
    {
      guard number > 0 else {
        plain += part
        continue
      }
      guard let end = part.firstIndex(of: ";"), let character = character(part[..<end]) else {
        return nil
      }
      plain += character + part[part.index(after: end)...]
    }
    return plain
  }

  private static func character(_ name: Substring) -> String? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  /// - Returns: The bytes before `text`, or nil if `text` doesn't follow.
  private mutating func skip(past text: String) -> ArraySlice<UInt8>? {
    let start = index
    while index < bytes.count {
      if bytes[index...].starts(with: text.utf8) {
        defer { index += text.utf8.count }
        return bytes[start..<index]
      }
      index += 1
    }
    return nil
  }
}
