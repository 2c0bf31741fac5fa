import EventLog
import EventLogImport
import EventLogTesting

/// A table is read as it would be written, and a map is refused with its name, or reads any file.
///
/// All rows of the file are imported, or none.
///
/// Input: a map, or the name of a built-in one. After a line `--`, a file or the files of a folder,
/// each after a line `#file <name>`.
enum TableTarget {
  static func check(_ input: [UInt8]) async throws {
    let (map, file) = Sections.parts(of: input)
    let files = self.files(file)
    for bytes in files.map(\.bytes) + [file] { try checkTable(bytes) }
    guard let map = try self.map(map) else { return }
    let reread = try ImportMap(parsing: map.text.utf8)
    try Finding.require(reread.source == map.source, "A map is not read as it was.")
    let foreignImport =
      try files.isEmpty
      ? ForeignImport(file, named: "/Export.csv") : ForeignImport(files: files)
    try await foreignImport.check(by: map)
  }

  private static func checkTable(_ bytes: [UInt8]) throws {
    let rows: [[String]]
    do throws(EventLogError) { rows = try CSV(bytes, name: "a.csv").rows.map(\.cells) } catch {
      return try Finding.require(
        error.code == .invalidInput && error.location.file == "a.csv"
          && error.location.line ?? 0 > 0, "Unexpected: \(error)")
    }
    var text: [UInt8] = []
    for row in rows {
      let cells = row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
      text += (cells.joined(separator: ",") + "\r\n").utf8
    }
    let reread = try CSV(text, name: "a.csv").rows.map(\.cells)
    let isSame =
      rows.count == reread.count
      && zip(rows, reread).allSatisfy {
        $0.count == $1.count && zip($0, $1).allSatisfy { $0.hasBytes(of: $1) }
      }
    try Finding.require(isSame, "\(rows) was written and read as \(reread).")
  }

  private static func map(_ bytes: [UInt8]) throws -> ImportMap? {
    let name = String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
    if let map = ImportMap.builtIn(name) { return map }
    do throws(EventLogError) {
      return try ImportMap(parsing: bytes, named: "map.json")
    } catch {
      try Finding.require(
        error.code == .invalidInput && error.location.file == "map.json", "Unexpected: \(error)")
      return nil
    }
  }

  private static func files(_ input: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.starts(with: "#file ".utf8) {
        files.append((String(decoding: line.dropFirst(6), as: UTF8.self), []))
      } else if !files.isEmpty {
        files[files.count - 1].bytes += line + [0x0A]
      } else if !line.isEmpty {
        return []
      }
    }
    return files
  }
}
