package import EventLog

/// A property list, XML or binary.
///
/// Both forms are read here and not by Foundation: a file from elsewhere may be nested as deep, or
/// refer to itself as often, as somebody liked, and that must end in a sentence.
package enum PropertyList {
  /// How many values one may hold, each counted as often as it is referred to.
  static let valuesMax = 1_000_000

  static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

  static func isXML(_ bytes: [UInt8]) -> Bool {
    let text = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return ["<?xml", "<!DOCTYPE plist", "<plist"].contains { text.starts(with: $0.utf8) }
  }

  /// Whether text that is no JSON looks like the form of before XML: a name without quotes or with
  /// them, and an equals sign.
  static func isOld(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
    return text.firstMatch(of: /^\s*\{\s*("[^"]*"|[A-Za-z0-9_.$:\/-]+)\s*=/) != nil
  }

  /// - Parameter name: what the file is called in errors.
  package static func read(
    _ bytes: [UInt8], name: String
  ) throws(EventLogError) -> SourceTree {
    do throws(PropertyListFault) {
      if isBinary(bytes) {
        var reader = BinaryPropertyList(bytes)
        return try reader.top()
      }
      var reader = XMLPropertyList(bytes)
      return try reader.top()
    } catch {
      throw .cannotImport(
        "\"\(name)\" cannot be read as a property list: \(error.reason).", file: name,
        line: error.line, byte: error.byte)
    }
  }
}

/// Why bytes are no property list.
struct PropertyListFault: Error {
  /// A clause without a full stop.
  var reason: String
  var line: Int?
  var byte: Int?

  static func twice(_ name: String, line: Int? = nil, byte: Int? = nil) -> PropertyListFault {
    .init(
      reason: "the key \"\(name.prefix(60))\" is there twice, and which one counts is unclear"
        + (line.map { " (line \($0))" } ?? ""), line: line, byte: byte)
  }

  static func tooDeep(line: Int? = nil, byte: Int? = nil) -> PropertyListFault {
    .init(
      reason: "it is nested deeper than \(SourceTree.depthMax) levels"
        + (line.map { " (line \($0))" } ?? ""), line: line, byte: byte)
  }

  static let tooMany = PropertyListFault(
    reason: "it holds more than \(PropertyList.valuesMax) values")
}
