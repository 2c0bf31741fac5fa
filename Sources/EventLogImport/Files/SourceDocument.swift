import EventLog

/// The content of a property list, JSON or JSON Lines.
struct SourceDocument {
  var tree: SourceTree
  /// The line of each value of JSON Lines; nil for other documents.
  var lines: [Int]?

  /// The ends of the names of files that are documents.
  static let suffixes = [".json", ".jsonl", ".ndjson", ".plist"]

  /// - Parameter title: The name of the file in errors.
  init(_ file: [UInt8], title: String) throws(EventLogError) {
    if PropertyList.isBinary(file) || PropertyList.isXML(file) {
      tree = try PropertyList.read(file, name: title)
      return
    }
    let (bytes, _) = try SourceText.utf8(file, title)
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let first = text.first { !SourceText.isBlank([$0]) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      throw .cannotImport(
        "\"\(title)\" is neither a property list nor a JSON object or list, which the map is for.",
        file: title)
    }
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: text) } catch {
      guard Self.isLines(text) else { throw Self.refused(error, Array(text), title) }
      (tree, lines) = try Self.lines(text, title)
      return
    }
    guard value.holdsAtMost(SourceTree.valuesMax) else { throw Self.tooMany(title) }
    tree = SourceTree(value)
  }

  /// Whether the first line that isn't blank is a whole JSON object.
  private static func isLines(_ text: ArraySlice<UInt8>) -> Bool {
    let first = text.drop { SourceText.isBlank([$0]) }.prefix { $0 != 0x0A }
    guard first.first == UInt8(ascii: "{") else { return false }
    return (try? JSONValue(parsing: first)) != nil
  }

  private static func lines(
    _ text: ArraySlice<UInt8>, _ title: String
  ) throws(EventLogError) -> (SourceTree, [Int]) {
    var (trees, lines): ([SourceTree], [Int]) = ([], [])
    var valuesLeft = SourceTree.valuesMax
    var line = 0
    for part in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      line += 1
      if SourceText.isBlank(part) { continue }
      let value: JSONValue
      do throws(LineFault) { value = try JSONValue(parsing: part) } catch {
        let column = SourceText.column(of: error.byte, in: Array(part))
        throw .cannotImport(
          "\(title):\(line): the line \(error.clause) (column \(column)).", file: title,
          line: line, byte: error.byte)
      }
      guard value.counts(into: &valuesLeft) else { throw tooMany(title) }
      trees.append(SourceTree(value))
      lines.append(line)
    }
    return (.list(trees), lines)
  }

  private static func refused(
    _ fault: LineFault, _ bytes: [UInt8], _ title: String
  ) -> EventLogError {
    let position = fault.position(in: bytes)
    // { name = value; }: JSON has no equals sign after a name.
    if PropertyList.isOld(bytes) {
      return .cannotImport(
        "\"\(title)\" is a property list in the old form, { key = value; }, which is not read.",
        hint: "On a Mac, convert it: plutil -convert xml1 FILE", file: title,
        line: position.line, byte: fault.byte)
    }
    return .cannotImport(
      "\"\(title)\" cannot be read as JSON: it \(fault.clause) (\(position.name)).",
      file: title, line: position.line, byte: fault.byte)
  }

  private static func tooMany(_ title: String) -> EventLogError {
    .cannotImport(
      "\"\(title)\" holds more than \(SourceTree.valuesMax) values.",
      hint: "Divide it into several files.", file: title)
  }
}
