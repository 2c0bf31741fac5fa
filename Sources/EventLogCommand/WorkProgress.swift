/// How far a piece of work is, and how long it may still take.
struct WorkProgress {
  /// What was counted until some time, in milliseconds.
  struct Moment {
    var time: Int64
    var byteCount: Int64
    var lineCount: Int64
  }

  let what: String
  /// How many bytes one reading has.
  let byteTotal: Int64?
  /// How many events of the planned ones have crossed.
  var events: (done: Int64, total: Int64)?
  /// From when on a person has waited.
  let waitingFrom: Int64
  private let begin: Moment

  init(_ what: String, byteTotal: Int64? = nil, at begin: Moment, waitingFrom: Int64? = nil) {
    self.what = what
    self.byteTotal = byteTotal
    self.begin = begin
    self.waitingFrom = waitingFrom ?? begin.time
  }

  /// The line that is shown.
  func text(at moment: Moment) -> String {
    let milliseconds = max(1, moment.time - begin.time)
    let bytes = moment.byteCount - begin.byteCount
    var parts: [String] = []
    var left: Int64?
    var label = what
    if let events {
      parts.append("\(events.done) of \(events.total) events")
      if bytes > 0 { parts.append(ByteText(largest: bytes).text(bytes)) }
      parts.append("\(events.done * 1000 / milliseconds) events/s")
      // The first requests take longer than later ones.
      if events.done >= events.total / 20 {
        left = Self.left(events.done, of: events.total, after: milliseconds)
      }
    } else if let byteTotal, byteTotal > 0 {
      var done = min(bytes, byteTotal)
      // What is read beside a journal is little, and no second reading.
      if bytes > byteTotal + byteTotal / 50 + 65_536 {
        label += " again"
        done = (bytes - 1) % byteTotal + 1
      } else if moment.lineCount > begin.lineCount {
        parts.append("\(moment.lineCount - begin.lineCount) events")
      }
      let unit = ByteText(largest: byteTotal)
      parts.append("\(unit.number(done)) of \(unit.text(byteTotal))")
      parts.append(Self.rate(bytes, milliseconds))
      left = Self.left(done, of: byteTotal, after: milliseconds * done / max(1, bytes))
    } else if bytes > 0 {
      parts += [ByteText(largest: bytes).text(bytes), Self.rate(bytes, milliseconds)]
    }
    if let left { parts.append(Self.text(seconds: left)) }
    return Visible.text(parts.isEmpty ? label : "\(label): \(parts.joined(separator: ", "))")
  }

  private static func rate(_ bytes: Int64, _ milliseconds: Int64) -> String {
    let rate = bytes * 1000 / milliseconds
    return "\(ByteText(largest: rate).text(rate))/s"
  }

  /// Estimates the seconds that the rest takes. Returns nil if nothing is done, or everything.
  private static func left(
    _ done: Int64, of total: Int64, after milliseconds: Int64
  ) -> Int64? {
    guard done > 0, done < total else { return nil }
    let seconds = Double(milliseconds) / 1000 * Double(total - done) / Double(done)
    return Int64(min(seconds, 1e9).rounded(.up))
  }

  private static func text(seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s left"
    case ..<7200: "\((seconds + 30) / 60) min left"
    default: "\((seconds + 1800) / 3600) h left"
    }
  }
}

/// Numbers of bytes in the unit that suits the largest of them.
private struct ByteText {
  private let divisor: Int64
  private let unit: String

  init(largest: Int64) {
    (divisor, unit) =
      largest < 1_000_000
      ? (1000, "kB") : largest < 1_000_000_000 ? (1_000_000, "MB") : (1_000_000_000, "GB")
  }

  /// The number without its unit: with one decimal.
  func number(_ bytes: Int64) -> String {
    let tenths = (bytes * 10 + divisor / 2) / divisor
    return "\(tenths / 10).\(tenths % 10)"
  }

  func text(_ bytes: Int64) -> String { "\(number(bytes)) \(unit)" }
}
