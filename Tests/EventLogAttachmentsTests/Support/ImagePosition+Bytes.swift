@testable import EventLogAttachments

extension ImagePosition {
  static func find(in bytes: [UInt8]) -> ImagePosition {
    find(byteCount: Int64(bytes.count)) { offset, count in
      Array(bytes[Int(offset)..<Int(offset) + count])
    }
  }

  /// The file with the edits, which are applied in chunks of a length.
  func edited(_ bytes: [UInt8], chunk: Int = .max) -> [UInt8] {
    var editor = ByteEditor(edits)
    var result: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var part = Array(rest.prefix(chunk))
      rest = rest.dropFirst(part.count)
      editor.apply(to: &part)
      result += part
    }
    return result
  }
}
