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

  /// Creates a zone with a fixed offset, from `UTC` or a text such as `+02:00`.
  ///
  /// Returns `nil` for any other text.
  public init?(offset text: String) {
    let offset = text == "UTC" || text == "Z" ? "Z" : text
    guard let epoch = Timestamp("1970-01-01T00:00:00\(offset)") else { return nil }
    self.init(name: text) { _ in -epoch.milliseconds / 1000 }
  }

  /// Returns the day that contains a time in this zone.
  func day(of time: Timestamp) -> Day { Day(time, secondsEastOfUTC: secondsEast(time)) }
}
