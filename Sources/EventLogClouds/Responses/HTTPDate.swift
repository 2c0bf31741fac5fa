package import EventLog

/// Parses dates in HTTP headers, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the time, or nil for another format.
  static func time(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp("\(parts[3])-\(number)-\(parts[1])T\(parts[4]).000Z")
  }
}

extension HTTPResponse {
  /// The server's time, from the `Date` header.
  package var date: Timestamp? { header("date").flatMap(HTTPDate.time) }

  /// The delay in the `Retry-After` header, in seconds or until a date, and at most a day.
  package var retryAfter: Duration? {
    guard let text = header("retry-after") else { return nil }
    if let seconds = Int(text) {
      return seconds < 0 ? nil : .seconds(min(seconds, 86_400))
    }
    guard let then = HTTPDate.time(text), let now = date, then > now else { return nil }
    return .milliseconds(min(then.milliseconds - now.milliseconds, 86_400_000))
  }
}
