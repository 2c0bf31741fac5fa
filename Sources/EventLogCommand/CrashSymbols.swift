import EventLog
import EventLogCrashReports
import EventLogPipe

/// The names of the places in the code, as far as a symbolizer finds them.
struct CrashSymbols {
  private struct Symbol {
    let function: String
    /// The name of the file and the line, or empty.
    let location: String
  }

  private var symbols: [CrashReport.Frame: Symbol] = [:]

  /// The function at a place, or the image and the offset if it is unknown.
  func function(_ place: CrashReport.Frame) -> String {
    symbols[place]?.function ?? place.description
  }

  /// The function with its file and line, or the start of the image's identifier and the offset.
  func name(_ place: CrashReport.Frame) -> String {
    guard let symbol = symbols[place] else {
      return "\(place.image.prefix(8))+0x\(String(place.offset, radix: 16))"
    }
    return symbol.location.isEmpty ? symbol.function : "\(symbol.function) (\(symbol.location))"
  }

  /// Symbolicates the frames of reports whose images are in a folder.
  ///
  /// - Parameter folder: The folder, or nil to symbolicate nothing.
  static func read(
    _ folder: String?, for reports: [CrashReport], _ console: Console
  ) async throws -> CrashSymbols {
    var symbols = CrashSymbols()
    guard let folder else { return symbols }
    guard Terminal.isFolder(folder) else {
      throw EventLogError.usage(
        "\"\(Visible.text(folder))\" is no folder with programs.", "crashes")
    }
    var places: [String: Set<UInt64>] = [:]
    for place in reports.flatMap(\.places).compactMap({ $0 }) {
      places[place.image, default: []].insert(place.offset)
    }
    let images = ProgramImage.find(in: folder, identifiers: Set(places.keys))
    for (identifier, offsets) in places.sorted(by: { $0.key < $1.key }) {
      guard let image = images[identifier] else { continue }
      guard try await symbols.add(offsets.sorted(), of: image, identifier) else {
        console.note(
          "Note: neither llvm-symbolizer nor atos was found, so functions have no names.")
        return symbols
      }
    }
    if images.isEmpty, !places.isEmpty {
      console.note(
        "Note: no program in \(folder) has the identifier of an image in the reports.")
    }
    return symbols
  }

  /// Returns false if there is no symbolizer.
  private mutating func add(
    _ offsets: [UInt64], of image: ProgramImage, _ identifier: String
  ) async throws -> Bool {
    // Command lines are limited.
    for start in stride(from: 0, to: offsets.count, by: 256) {
      let part = Array(offsets[start..<min(start + 256, offsets.count)])
      guard let found = try await Self.symbols(at: part.map { $0 &+ image.base }, of: image.path)
      else { return false }
      for (offset, symbol) in zip(part, found) {
        symbols[CrashReport.Frame(image: identifier, offset: offset)] = symbol
      }
    }
    return true
  }

  // MARK: - Programs

  private static func symbols(
    at addresses: [UInt64], of path: String
  ) async throws -> [Symbol?]? {
    let words = addresses.map { "0x" + String($0, radix: 16) }
    if let output = await run(
      ["llvm-symbolizer", "--output-style=JSON", "--no-inlines", "--obj=\(path)"] + words)
    {
      return await demangled(llvmSymbols(output, count: addresses.count))
    }
    guard let output = await run(["atos", "-o", path, "-l", "0x0"] + words) else { return nil }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    return (0..<addresses.count).map { $0 < lines.count ? atosSymbol(lines[$0]) : nil }
  }

  private static func llvmSymbols(_ output: [UInt8], count: Int) -> [Symbol?] {
    guard case .array(let rows)? = try? JSONValue(parsing: output), rows.count == count else {
      return Array(repeating: nil, count: count)
    }
    return rows.map { row in
      guard case .object(let members) = row, case .array(let symbols)? = members["Symbol"],
        case .object(let symbol)? = symbols.first,
        let function = symbol["FunctionName"]?.plainText, !function.isEmpty
      else { return nil }
      let file = symbol["FileName"]?.plainText.map { Path.name(of: $0) } ?? ""
      let line = symbol["Line"]?.integer ?? 0
      return Symbol(
        function: function, location: file.isEmpty || line == 0 ? "" : "\(file):\(line)")
    }
  }

  /// Reads a line such as `main (in c) (c.swift:12)`; nil if it is only the address again.
  private static func atosSymbol(_ line: Substring) -> Symbol? {
    let parts = line.components(separatedBy: " (in ")
    guard parts.count == 2 else { return nil }
    let location = parts[1].components(separatedBy: ") (").dropFirst().first ?? ""
    return Symbol(
      function: parts[0], location: location.hasSuffix(")") ? String(location.dropLast()) : "")
  }

  /// Replaces the mangled names of Swift, if the toolchain's program for it is found.
  private static func demangled(_ symbols: [Symbol?]) async -> [Symbol?] {
    let mangled = Set(symbols.compactMap { $0?.function }.filter { $0.hasPrefix("$s") }).sorted()
    guard !mangled.isEmpty,
      let output = await run(["swift-demangle", "--compact", "--simplified"] + mangled)
    else { return symbols }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count == mangled.count else { return symbols }
    let names = Dictionary(zip(mangled, lines)) { first, _ in first }
    return symbols.map { symbol in
      symbol.map { Symbol(function: names[$0.function] ?? $0.function, location: $0.location) }
    }
  }

  /// Runs a program and returns its output, or nil if it can't be started or fails.
  private static func run(_ words: [String]) async -> [UInt8]? {
    guard let channel = try? DescriptorChannel(starting: words) else { return nil }
    defer { channel.close() }
    var output: [UInt8] = []
    while output.count < 1 << 24 {
      guard let bytes = try? await channel.read(within: 60_000) else { return nil }
      if bytes.isEmpty { break }
      output += bytes
    }
    return await channel.ending()?.exitCode == 0 ? output : nil
  }
}

extension Substring {
  fileprivate func components(separatedBy mark: String) -> [String] {
    var (parts, rest) = ([String](), self)
    while let range = rest.firstRange(of: mark) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

extension String {
  fileprivate func components(separatedBy mark: String) -> [String] {
    self[...].components(separatedBy: mark)
  }
}
