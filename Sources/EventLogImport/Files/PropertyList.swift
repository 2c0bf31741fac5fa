package import EventLog

/// A property list, XML or binary.
///
/// Foundation's readers aren't used: an untrusted file may have any nesting and any references, and
/// must end in an error, not in a crash.
package enum PropertyList {
  /// The maximum number of values, counting each reference to a shared one.
  static let valuesMax = 1_000_000

  static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

  static func isXML(_ bytes: [UInt8]) -> Bool {
    let text = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return ["<?xml", "<!DOCTYPE plist", "<plist"].contains { text.starts(with: $0.utf8) }
  }

  /// Whether text that isn't JSON looks like an old-style property list: it begins with a name,
  /// quoted or not, and an equals sign.
  static func isOld(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
    return text.firstMatch(of: /^\s*\{\s*("[^"]*"|[A-Za-z0-9_.$:\/-]+)\s*=/) != nil
  }

  /// - Parameter name: The name of the file in errors.
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

/// The reason why bytes aren't a property list.
struct PropertyListFault: Error {
  /// A clause without a period.
  var reason: String
  var line: Int?
  var byte: Int?

  static func twice(_ name: String) -> String {
    "the key \"\(name.prefix(60))\" is there twice, and which one counts is unclear"
  }

  static let tooDeep = "it is nested deeper than \(SourceTree.depthMax) levels"
  static let tooMany = "it holds more than \(PropertyList.valuesMax) values"
}
