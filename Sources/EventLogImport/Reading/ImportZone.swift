public import EventLog

/// A time zone in which points in time become days.
public struct ImportZone: Sendable {
  /// The name of the zone, such as `Europe/Berlin`.
  public let name: String
  private let secondsEast: @Sendable (Timestamp) -> Int64

  /// Creates a zone.
  ///
  /// - Parameters:
  ///   - name: The name of the zone.
  ///   - secondsEast: A closure that returns the zone's offset from UTC at a time, in seconds.
  public init(name: String, secondsEast: @escaping @Sendable (Timestamp) -> Int64) {
    self.name = name
    self.secondsEast = secondsEast
  }

  /// Creates a zone with a fixed offset, from `UTC` or a text such as `+02:00`, `+0200` or `GMT+2`.
  ///
  /// Returns `nil` for any other text.
  public init?(offset text: String) {
    var cursor = TextCursor(text)
    guard let minutes = cursor.offset(), cursor.isAtEnd else { return nil }
    self.init(name: text) { _ in minutes * 60 }
  }

  /// Returns the day that contains a time in this zone.
  func day(of time: Timestamp) -> Day { Day(time, secondsEastOfUTC: secondsEast(time)) }

  /// Returns the time that clocks in this zone show, as if it were in UTC.
  func milliseconds(shownAt time: Timestamp) -> Int64 {
    time.milliseconds + secondsEast(time) * 1000
  }

  /// Returns the times at which clocks in this zone show a time: two in the hour that they repeat.
  ///
  /// In an hour that they skip, the offset before it counts, and `isSkipped` is true.
  ///
  /// - Parameter milliseconds: The time that they show, as if it were in UTC.
  func times(whenClocksShow milliseconds: Int64) -> (times: [Timestamp], isSkipped: Bool) {
    let day: Int64 = 86_400_000
    let offsets = [-day, day].compactMap { Timestamp(milliseconds: milliseconds + $0) }
      .map { secondsEast($0) }
    guard let before = offsets.first, let after = offsets.last else { return ([], false) }
    let candidates = (before == after ? [before] : [before, after])
      .compactMap { offset in
        Timestamp(milliseconds: milliseconds - offset * 1000).map { ($0, offset) }
      }
    let times = candidates.filter { secondsEast($0) == $1 }.map(\.0).sorted()
    return times.isEmpty ? (candidates.prefix(1).map(\.0), true) : (times, false)
  }
}
