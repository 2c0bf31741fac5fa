import EventLog

/// The backtrace that Swift's runtime writes as text if `SWIFT_BACKTRACE` says so.
///
/// Such a log contains registers, the memory that they point to, and paths. Only the signal, the
/// addresses, and the images' identifiers and ranges are read.
package enum RuntimeBacktrace {
  /// Returns the report of a log, or nil if the text isn't one.
  ///
  /// - Parameters:
  ///   - time: The time of the log, in milliseconds since 1970 UTC.
  package static func report(of bytes: [UInt8], time: Int64, app: String) -> CrashReport? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("*** ") else { return nil }
    var raw = RawReport()
    (raw.app, raw.system, raw.device) = (app, SystemDescription.system, SystemDescription.device)
    raw.time = time
    raw.identity = Array("\(time)".utf8)
    var images: [RawReport.Image] = []
    var part = Part.head
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("Images") { part = .images }
      switch part {
      case .head:
        if line.hasPrefix("*** Program crashed: ") { read(crash: line, into: &raw) }
        if line.hasPrefix("Thread "), line.hasSuffix(" crashed:") {
          raw.isMainThread = line.hasPrefix("Thread 0 ")
          part = .frames
        }
      case .frames:
        if let address = frame(line) { raw.frames.append(.address(address)) }
        if line.hasPrefix("Registers") || line.hasPrefix("Thread ") { part = .rest }
      case .images:
        if let image = image(line) { images.append(image) }
      case .rest: break
      }
    }
    guard raw.signal != nil || !raw.frames.isEmpty else { return nil }
    return .scrub(raw, images: images)
  }

  private enum Part { case head, frames, rest, images }

  /// Reads a line such as `*** Program crashed: Bad pointer dereference at 0x0000000000000004 ***`.
  private static func read(crash line: Substring, into raw: inout RawReport) {
    let rest = line.dropFirst("*** Program crashed: ".count)
    let names: [(String, CrashReport.Signal)] = [
      ("Bad pointer dereference", .segmentation), ("System error", .segmentation),
      ("Bus error", .bus), ("Illegal instruction", .illegal), ("Aborted", .aborted),
      ("Floating point exception", .arithmetic), ("Breakpoint trap", .trap),
    ]
    raw.signal = names.first { rest.lowercased().hasPrefix($0.0.lowercased()) }?.1
    guard raw.signal == .segmentation || raw.signal == .bus,
      let address = rest.split(separator: " ").first(where: { $0.hasPrefix("0x") }).flatMap(hex)
    else { return }
    raw.fault = address < 1 << 16 ? .null : .other
  }

  /// The address in a line such as `3 [ra] 0x0000560c195e0f9e deep(_:) + 125 in c`.
  private static func frame(_ line: Substring) -> UInt64? {
    let words = line.split(separator: " ", maxSplits: 3)
    guard words.count > 1, words[0].allSatisfy(\.isNumber) else { return nil }
    return words.prefix(3).first { $0.hasPrefix("0x") }.flatMap(hex)
  }

  /// The image in a line such as `0x0000560c195e0000–0x0000560c195e1310 7acecde4 c /tmp/c`.
  private static func image(_ line: Substring) -> RawReport.Image? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count > 1, case let ends = words[0].split(separator: "–"), ends.count == 2,
      let base = hex(ends[0]), let end = hex(ends[1]), end > base
    else { return nil }
    return .init(id: String(words[1]), base: base, text: base, textBytes: end - base)
  }

  private static func hex(_ text: Substring) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }
}
