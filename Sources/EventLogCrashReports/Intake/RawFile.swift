import EventLog

/// The reports in a file of the recorder.
package struct RawFile {
  package private(set) var reports: [CrashReport] = []
  /// Whether a block was left out because its checksum is wrong.
  package private(set) var isTorn = false

  private let bytes: [UInt8]
  private let session: UInt64
  private var images: [RawReport.Image] = []
  private var names: [String] = []
  private var (app, system, device) = ("", "", "")

  /// Reads a file; nil if it isn't one, or its first block is torn.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package init?(_ bytes: [UInt8]) {
    guard let header = RawBlock(RawLayout.header, of: bytes), header.kind == RawLayout.header
    else { return nil }
    self.bytes = bytes
    session = header.session
    (app, system, device) = (header.text(24), header.text(56), header.text(88))
    readNames()
    readImages()
    readErrors()
    readCrash()
  }

  /// The block with a number, if it belongs to this recording; it notes a torn one.
  private mutating func block(_ number: Int, kind: Int) -> RawBlock? {
    if let block = RawBlock(number, of: bytes) {
      return block.kind == kind && block.session == session ? block : nil
    }
    let start = min(number * RawLayout.blockBytes, bytes.count)
    let end = min(start + RawLayout.blockBytes, bytes.count)
    if end - start < RawLayout.blockBytes || bytes[start..<end].contains(where: { $0 != 0 }) {
      isTorn = true
    }
    return nil
  }

  private mutating func readNames() {
    guard let block = block(RawLayout.names, kind: RawLayout.names) else { return }
    var offset = 24
    for _ in 0..<min(Int(block.integer(16, 2)), RawLayout.namesMax) {
      guard offset < RawLayout.blockBytes - 4 else { return }
      names.append(block.text(offset))
      offset += 1 + Int(block.byte(offset))
    }
  }

  private mutating func readImages() {
    for number in RawLayout.images..<(RawLayout.images + RawLayout.imageBlocks) {
      guard let block = block(number, kind: RawLayout.images) else { continue }
      for index in 0..<min(Int(block.integer(16, 2)), RawLayout.imagesPerBlock) {
        let start = 24 + 48 * index
        let count = min(Int(block.byte(start)), 20)
        let id = (0..<count).map { offset -> String in
          let byte = block.byte(start + 4 + offset)
          return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        images.append(
          .init(
            id: id.joined(), base: block.integer(start + 24, 8),
            text: block.integer(start + 32, 8), textBytes: block.integer(start + 40, 8)))
      }
    }
  }

  private mutating func readErrors() {
    for number in RawLayout.errors..<(RawLayout.errors + RawLayout.errorBlocks) {
      guard let block = block(number, kind: RawLayout.errors) else { continue }
      var raw = rawReport(of: block)
      raw.kind = .error
      raw.errorType = block.text(RawOffsets.type)
      raw.severity = Severity(code: block.byte(RawOffsets.severity)) ?? .error
      raw.omittedCount = Int(block.integer(RawOffsets.omitted, 2))
      reports.append(.scrub(raw, images: images))
    }
  }

  private mutating func readCrash() {
    let failure = block(RawLayout.nested, kind: RawLayout.nested)
    let begun = block(RawLayout.begun, kind: RawLayout.begun)
    guard
      let block = block(RawLayout.done, kind: RawLayout.done) ?? begun ?? failure
    else { return }
    var raw = rawReport(of: block)
    raw.signal = CrashReport.Signal(number: block.byte(RawOffsets.signal))
    raw.fault = CrashReport.Fault(
      code: block.byte(RawOffsets.address), origin: block.byte(RawOffsets.origin))
    raw.hasFailedHandler = failure != nil
    reports.append(.scrub(raw, images: images))
  }

  /// The values that all blocks of reports have.
  private func rawReport(of block: RawBlock) -> RawReport {
    var raw = RawReport()
    (raw.app, raw.system, raw.device) = (app, system, device)
    raw.time = Int64(block.integer(RawOffsets.hour, 4)) * 3_600_000
    raw.memory = CrashReport.Memory(code: block.byte(RawOffsets.memory))
    switch block.byte(RawOffsets.thread) {
    case 1: raw.isMainThread = true
    case 2: raw.isMainThread = false
    default: break
    }
    raw.isCut = block.byte(RawOffsets.isCut) != 0
    let crumbCount = min(Int(block.byte(RawOffsets.crumbCount)), RawLayout.crumbsMax)
    raw.breadcrumbs = (0..<crumbCount).map { index in
      let name = Int(block.integer(RawOffsets.crumbs + 2 * index, 2))
      return name < names.count ? names[name] : ""
    }
    let frameCount = min(Int(block.integer(RawOffsets.frameCount, 2)), RawLayout.framesMax)
    raw.frames = (0..<frameCount).map { .address(block.integer(RawOffsets.frames + 8 * $0, 8)) }
    let number = UInt64(block.number)
    raw.identity =
      (0..<8).map { UInt8(truncatingIfNeeded: session >> (8 * $0)) }
      + [UInt8(truncatingIfNeeded: number)]
    return raw
  }
}

/// The offsets in a block of a report, as in `Recorder.h`.
private enum RawOffsets {
  static let signal = 16
  static let origin = 17
  static let address = 18
  static let thread = 19
  static let hour = 20
  static let memory = 24
  static let crumbCount = 25
  static let frameCount = 26
  static let crumbs = 28
  static let severity = 68
  static let isCut = 69
  static let omitted = 70
  static let frames = 72
  static let type = 1096
}

extension CrashReport.Signal {
  /// The signal with a number of this system.
  package init?(number: UInt8) {
    #if canImport(Darwin)
      self.init(numberOfApple: Int64(number))
    #else
      self.init(Int64(number), bus: 7)
    #endif
  }

  /// The signal with a number of Apple's systems.
  init?(numberOfApple number: Int64) { self.init(number, bus: 10) }

  /// - Parameter bus: The number of SIGBUS, the only one that differs between systems.
  private init?(_ number: Int64, bus: Int64) {
    switch number {
    case 4: self = .illegal
    case 5: self = .trap
    case 6: self = .aborted
    case 8: self = .arithmetic
    case 9: self = .killed
    case 11: self = .segmentation
    case bus: self = .bus
    default: return nil
    }
  }
}

extension CrashReport.Fault {
  fileprivate init?(code: UInt8, origin: UInt8) {
    switch (origin, code) {
    case (2, _): self = .sent
    case (_, 1): self = .null
    case (_, 2): self = .stack
    case (_, 3): self = .code
    case (_, 4): self = .other
    default: return nil
    }
  }
}

extension CrashReport.Memory {
  fileprivate init?(code: UInt8) {
    guard (1...Self.allCases.count).contains(Int(code)) else { return nil }
    self = Self.allCases[Int(code) - 1]
  }
}
