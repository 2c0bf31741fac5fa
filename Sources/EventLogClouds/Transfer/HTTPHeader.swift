/// A header of a request or a response.
package struct HTTPHeader: Sendable, Hashable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

extension HTTPHeader {
  /// Parses the head of a response, which is the status line and a line for each header.
  static func read(head: [UInt8]) -> [HTTPHeader] {
    head.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? value.startIndex
      return HTTPHeader(
        String(decoding: line[..<colon], as: UTF8.self),
        String(decoding: value[..<end], as: UTF8.self))
    }
  }
}
