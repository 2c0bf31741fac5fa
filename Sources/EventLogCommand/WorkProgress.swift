/// The progress of some work, and the estimated time left.
struct WorkProgress {
  /// A time in milliseconds, and the counts at that time.
  struct Moment {
    var time: Int64
    var byteCount: Int64
    var lineCount: Int64
  }

  let what: String
  /// The number of bytes to read in one pass.
  let byteTotal: Int64?
  /// The number of events to append, if the work is an append.
  let eventTotal: Int64?
  /// The numbers of events transferred and planned.
  var events: (done: Int64, total: Int64)?
  /// The time in milliseconds from which the delay of ``ProgressLine`` counts.
  let waitingFrom: Int64
  private let begin: Moment

  init(
    _ what: String, byteTotal: Int64? = nil, eventTotal: Int64? = nil, at begin: Moment,
    waitingFrom: Int64? = nil
  ) {
    self.what = what
    self.byteTotal = byteTotal
    self.eventTotal = eventTotal
    self.begin = begin
    self.waitingFrom = waitingFrom ?? begin.time
  }

  /// - Parameter columns: The length of the text, at which a long label is shortened.
  func text(at moment: Moment, columns: Int = .max) -> String {
    let milliseconds = max(1, moment.time - begin.time)
    let bytes = moment.byteCount - begin.byteCount
    var parts: [String] = []
    var left: Int64?
    var label = what
    let added = moment.lineCount - begin.lineCount
    if let events = events ?? eventTotal.map({ (done: min(added, $0), total: $0) }) {
      parts.append("\(events.done) of \(events.total) events")
      if bytes > 0 { parts.append(ByteText(largest: bytes).text(bytes)) }
      parts.append("\(events.done * 1000 / milliseconds) events/s")
      // Don't estimate from the first requests, which take longer.
      if events.done >= events.total / 20 {
        left = Self.left(events.done, of: events.total, after: milliseconds)
      }
    } else if let byteTotal, byteTotal > 0 {
      var done = min(bytes, byteTotal)
      // This is a second pass: the files beside a journal are smaller than this.
      if bytes > byteTotal + byteTotal / 50 + 65_536 {
        label += " again"
        done = (bytes - 1) % byteTotal + 1
      } else if added > 0 {
        parts.append("\(added) events")
      }
      let unit = ByteText(largest: byteTotal)
      parts.append("\(unit.number(done)) of \(unit.text(byteTotal))")
      parts.append(Self.rate(bytes, milliseconds))
      left = Self.left(done, of: byteTotal, after: milliseconds * done / max(1, bytes))
    } else if bytes > 0 {
      parts += [ByteText(largest: bytes).text(bytes), Self.rate(bytes, milliseconds)]
    }
    if let left { parts.append(Self.text(seconds: left)) }
    let numbers = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
    return Self.shortened(Visible.text(label), to: columns - numbers.count) + numbers
  }

  /// Replaces the middle of a long label, such as a path or an address, by an ellipsis.
  private static func shortened(_ label: String, to length: Int) -> String {
    let length = max(length, labelLengthMin)
    if label.count <= length { return label }
    let end = (length - 1) / 3
    return "\(label.prefix(length - 1 - end))…\(label.suffix(end))"
  }

  private static let labelLengthMin = 12

  private static func rate(_ bytes: Int64, _ milliseconds: Int64) -> String {
    let rate = bytes * 1000 / milliseconds
    return "\(ByteText(largest: rate).text(rate))/s"
  }

  /// Estimates the remaining seconds; nil if nothing or everything is done.
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

/// Formats byte counts in a unit that suits the largest one.
private struct ByteText {
  private let divisor: Int64
  private let unit: String

  init(largest: Int64) {
    (divisor, unit) =
      largest < 1_000_000
      ? (1000, "kB") : largest < 1_000_000_000 ? (1_000_000, "MB") : (1_000_000_000, "GB")
  }

  /// Returns the number with one decimal, without the unit.
  func number(_ bytes: Int64) -> String {
    let tenths = (bytes * 10 + divisor / 2) / divisor
    return "\(tenths / 10).\(tenths % 10)"
  }

  func text(_ bytes: Int64) -> String { "\(number(bytes)) \(unit)" }
}
