import EventLog

extension CrashReport {
  /// Returns the values of a raw report that a report may contain.
  ///
  /// It is a pure function: the same raw report always becomes the same report. A text of another
  /// form than that of its field is left out, and so is an address outside of all images.
  ///
  /// - Parameters:
  ///   - raw: The raw report.
  ///   - images: The images that its addresses are in.
  package static func scrub(_ raw: RawReport, images: [RawReport.Image]) -> CrashReport {
    let sorted = images.sorted { $0.text < $1.text }
    var report = CrashReport(
      id: "", kind: raw.kind, signal: raw.signal, fault: raw.fault,
      errorType: raw.kind == .error ? ReportTexts.wholeTypeName(raw.errorType) : nil,
      severity: raw.severity,
      frames: raw.frames.prefix(RawLayout.framesMax).map { frame($0, sorted) },
      isCut: raw.isCut || raw.frames.count > RawLayout.framesMax, isMainThread: raw.isMainThread,
      app: ReportTexts.app(raw.app), system: ReportTexts.system(raw.system),
      device: ReportTexts.device(raw.device), memory: raw.memory,
      hour: (Timestamp(milliseconds: raw.time) ?? Timestamp(trusted: 0)).startOfHour,
      breadcrumbs: raw.breadcrumbs.suffix(RawLayout.crumbsMax).compactMap(ReportTexts.name),
      hasFailedHandler: raw.hasFailedHandler, omittedCount: max(0, raw.omittedCount))
    report.id = ReportHash.text(of: Array(report.json.text.utf8) + raw.identity)
    return report
  }

  private static func frame(_ frame: RawReport.Frame, _ images: [RawReport.Image]) -> Frame? {
    switch frame {
    case .offset(let offset, let image):
      return ReportTexts.image(image).map { Frame(image: $0, offset: offset) }
    case .address(let address):
      // The last image that starts at or before the address.
      var (low, high) = (0, images.count)
      while low < high {
        let middle = low + (high - low) / 2
        if images[middle].text <= address { low = middle + 1 } else { high = middle }
      }
      guard low > 0, case let image = images[low - 1], address - image.text < image.textBytes,
        address >= image.base, let id = ReportTexts.image(image.id)
      else { return nil }
      return Frame(image: id, offset: address - image.base)
    }
  }
}

/// The hash that names a report: 128 bits of FNV-1a.
///
/// It distinguishes reports of one app, and protects against no attack.
enum ReportHash {
  static func text(of bytes: [UInt8]) -> String {
    digits(hash(bytes, 0xCBF2_9CE4_8422_2325)) + digits(hash(bytes, 0x8422_2325_CBF2_9CE4))
  }

  private static func hash(_ bytes: [UInt8], _ start: UInt64) -> UInt64 {
    var hash = start
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }
}
