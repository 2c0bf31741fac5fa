import EventLog
import EventLogErasure
import EventLogInspection

extension SimulatedWorld {
  /// Erases a random entity, the past values of a field, or an event.
  ///
  /// Nothing may be erased that is shown, so some of these calls are refused.
  func erase(on device: SimulatedDevice, seed: UInt64) async throws(EventLogError) {
    try await device.refresh()
    try observe(device)
    guard let erasure = erasure(on: device, seed: seed) else { return }
    hasErasures = true
    do throws(EventLogError) {
      try await device.store.store.erase(erasure)
    } catch {
      // An erasure reads the file again, and so finds damage that the store hasn't seen.
      guard [.noEntity, .noEvent, .invalidInput, .deletedEntity].contains(error.code) else {
        throw error
      }
    }
    for line in try observe(device) where !line.bytes.contains(text: "\"device.joined\"") {
      acknowledged[line.id] = line.bytes
    }
  }

  private func erasure(on device: SimulatedDevice, seed: UInt64) -> Erasure? {
    var random = SplitMix64(seed: seed)
    let lines = device.lines.sorted { $0.key < $1.key }.compactMap { ReferenceLine($0.value) }
      .filter { !$0.type.hasPrefix("device.") && $0.type != "event.erased" }
    guard let line = lines.randomElement(using: &random) else { return nil }
    let kind = line.type.prefix { $0 != "." }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return line.entity.map { .entity($0) }
    case 1:
      return line.data.members.randomElement(using: &random).map {
        .field($0.name, of: line.entity?.description ?? String(kind))
      }
    default: return .events([line.id.id])
    }
  }

  /// The number of events of which something was erased.
  func erasedCount() throws(EventLogError) -> Int {
    hasErasures ? try ErasureProof(devices[0].store.journal).erasedCount : 0
  }

  /// Whether a line is another one, or the erased form of it.
  func isSame(_ line: [UInt8], as other: [UInt8]) -> Bool {
    line == other
      || hasErasures && (line.isErasedForm(of: other) || other.isErasedForm(of: line))
  }

  /// Fetches the contents of lines that were erased, but lost the event that says so.
  ///
  /// A place that received such lines keeps them, so a new device may get them from there.
  func refillErased(on others: [SimulatedDevice]) async throws(EventLogError) {
    if !hasErasures { return }
    for device in others where device.store.snapshot.eventCount > 0 {
      for other in devices where other !== device {
        let problems = try device.store.journal.verify().problems
        guard problems.contains(where: { $0.code == .unnamedErasure }) else { break }
        _ = try await device.store.journal.repair(
          from: other.store.remote, options: device.store.options)
        try await device.refresh()
      }
    }
  }
}

extension [UInt8] {
  /// Whether it may be the erased form of another line: of the same length, and with its checksum.
  func isErasedForm(of line: [UInt8]) -> Bool {
    count == line.count && suffix(26) == line.suffix(26) && self != line
      && contains(text: "\"erased\":\"")
  }

  /// Whether it is a damaged line without the content that it had.
  func isHollowForm(of line: [UInt8]) -> Bool {
    let start = prefix { $0 != UInt8(ascii: ",") }
    return count == line.count && line.starts(with: start)
      && suffix(26).starts(with: ",\"crc\":\"".utf8)
      && dropFirst(start.count + 1).dropLast(26).allSatisfy { $0 == UInt8(ascii: "-") }
  }
}
