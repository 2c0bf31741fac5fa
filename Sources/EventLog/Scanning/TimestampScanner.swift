/// The last date read, so that consecutive events of one day check it once.
///
/// It starts with a real date, because zeros would match ten zero bytes.
package struct DateMemo: Sendable {
  /// `1970-01-`
  private var year = UInt64(littleEndian: 0x2D31_302D_3037_3931)
  /// `01`
  private var monthDay = UInt16(littleEndian: 0x3130)
  private var milliseconds: Int64 = 0

  package init() {}

  /// The milliseconds since 1970 of the start of the day `YYYY-MM-DD` at `base`; nil if that isn't
  /// a real date.
  @inline(__always)
  mutating func milliseconds(ofDateAt base: UnsafePointer<UInt8>) -> Int64? {
    let raw = UnsafeRawPointer(base)
    let year = raw.loadUnaligned(as: UInt64.self)
    let monthDay = raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    if year != self.year || monthDay != self.monthDay {
      guard let day = CivilDay.scan(base) else { return nil }
      self.year = year
      self.monthDay = monthDay
      milliseconds = Int64(day) * 86_400_000
    }
    return milliseconds
  }
}

/// Reads `YYYY-MM-DDTHH:MM:SS.mmmZ`.
enum TimestampScanner {
  /// The milliseconds since 1970 of the 24 bytes at `base`; nil if they aren't a real time.
  @inline(__always)
  static func scan(_ base: UnsafePointer<UInt8>, dates: inout DateMemo) -> Int64? {
    guard let midnight = dates.milliseconds(ofDateAt: base) else { return nil }
    guard base[10] == UInt8(ascii: "T"), base[13] == UInt8(ascii: ":"),
      base[16] == UInt8(ascii: ":"), base[19] == UInt8(ascii: "."), base[23] == UInt8(ascii: "Z")
    else { return nil }
    let hour = twoDigits(base + 11)
    let minute = twoDigits(base + 14)
    let second = twoDigits(base + 17)
    let tens = twoDigits(base + 20)
    let last = Int64(base[22]) &- 0x30
    guard hour < 24, minute < 60, second < 60, tens < 100, last >= 0, last <= 9 else {
      return nil
    }
    return midnight &+ hour &* 3_600_000 &+ minute &* 60_000 &+ second &* 1000
      &+ tens &* 10 &+ last
  }

  /// The value of two digits, or a number above 99.
  @inline(__always)
  private static func twoDigits(_ base: UnsafePointer<UInt8>) -> Int64 {
    let tens = base[0] &- 0x30
    let ones = base[1] &- 0x30
    return tens > 9 || ones > 9 ? 1000 : Int64(tens) &* 10 &+ Int64(ones)
  }
}
