import EventLog

/// Reads days and times.
extension ValueReader {
  /// Returns a point in time that the value states without a date's spelling, or nil.
  private func moment(_ tree: SourceTree) -> Timestamp? {
    if case .moment(let time) = tree { return time }
    guard let epoch = source.epoch, let text = try? plainText(tree),
      let number = PlainNumber.double(text)
    else { return nil }
    return switch epoch {
    case .unix: Timestamp(secondsSince1970: number)
    case .unixMilliseconds: Timestamp(secondsSince1970: number / 1000)
    case .apple: Timestamp(secondsSince2001: number)
    }
  }

  /// Returns the date and time of a text, or nil if it has none in the forms of the map.
  private func written(_ tree: SourceTree) throws(Refusal) -> WrittenTime? {
    guard let text = try? plainText(tree) else { return nil }
    return try Self.written(text, source.forms)
  }

  /// Returns the date and time of a text in one of some forms, or in a usual one if there are none.
  static func written(_ text: String, _ forms: [DateForm]) throws(Refusal) -> WrittenTime? {
    if forms.isEmpty { return WrittenTime(text) }
    var found: (form: DateForm, time: WrittenTime)?
    for form in forms {
      guard let time = form.time(text) else { continue }
      if let found, found.time != time {
        throw Refusal(
          reason: "fits both \(found.form.text) and \(form.text), and they differ",
          hint: "Remove the form that the source does not use from the map's \"forms\".")
      }
      found = (form, time)
    }
    return found?.time
  }

  private func day(of date: WrittenDate, _ text: String) throws(Refusal) -> Day {
    if let order = conventions.dates {
      guard let day = date.day(order) else {
        throw Refusal(reason: "is no date in the order \(order.rawValue): \(text.quoted)")
      }
      return day
    }
    let readings = date.readings
    guard let first = readings.first else { throw notADay }
    guard readings.allSatisfy({ $0.value == first.value }) else {
      throw .unclearOrder(readings, text)
    }
    return first.value
  }

  private var notADay: Refusal {
    Refusal(
      reason: source.forms.isEmpty
        ? "must be a valid date, such as 2026-01-31"
        : "must be a valid date \(source.forms.map(\.text).joined(separator: " or "))")
  }

  /// Returns a day. That of a local time is its date; that of a point in time is that of the zone.
  func day(_ tree: SourceTree) throws(Refusal) -> Day {
    var point = moment(tree)
    if point == nil {
      guard let written = try written(tree), let text = try? plainText(tree) else { throw notADay }
      let day = try day(of: written.date, text)
      guard let offset = written.offset, let local = written.local(on: day) else { return day }
      point = Timestamp(milliseconds: local - offset * 60_000)
    }
    guard let point else { throw notADay }
    guard let zone = conventions.zone else {
      throw Refusal(
        reason: "is a point in time; which day that is depends on the zone",
        hint: "Name the zone in which it was entered.")
    }
    return zone.day(of: point)
  }

  /// Returns a point in time. A local time becomes one in the zone.
  mutating func time(_ tree: SourceTree) throws(Refusal) -> Timestamp {
    if let point = moment(tree) { return point }
    let notATime = Refusal(
      reason: source.forms.isEmpty
        ? "must be a date with a time of day, such as 2026-01-31 08:15"
        : "must be a valid time \(source.forms.map(\.text).joined(separator: " or "))")
    guard let written = try written(tree), let text = try? plainText(tree) else { throw notATime }
    let day = try day(of: written.date, text)
    guard let local = written.local(on: day) else { throw notATime }
    if let offset = written.offset {
      guard let time = Timestamp(milliseconds: local - offset * 60_000) else { throw notATime }
      return time
    }
    guard let zone = conventions.zone else {
      throw Refusal(
        reason: "is a local time; which point in time that is depends on the zone",
        hint: "Name the zone in which it was entered, or the column that has it:"
          + " \"zone\" in the map's table.")
    }
    let (times, isSkipped) = zone.times(whenClocksShow: local)
    guard let time = times.first else { throw notATime }
    if isSkipped {
      let minutes = (zone.milliseconds(shownAt: time) - local) / 60_000
      remark =
        "moved by \(minutes == 60 ? "an hour" : "\(minutes) minutes"), because clocks in"
        + " \(zone.name) skipped it"
    } else if times.count > 1 {
      remark = "taken as the first of two, because clocks in \(zone.name) showed it twice"
    }
    return time
  }
}

extension ValueReader.Refusal {
  /// The refusal of a date that has different meanings in several orders.
  static func unclearOrder(
    _ readings: [(convention: DateOrder, value: Day)], _ text: String, isColumn: Bool = false
  ) -> Self {
    let orders = readings.map { "\($0.convention.rawValue) (\($0.value))" }
    return Self(
      reason: "depends on the order of its parts: \(text.quoted) fits"
        + " \(orders.joined(separator: " and "))"
        + (isColumn ? ", and so do all other dates of the column" : ""),
      hint: "Say in the map which order the source has, for example \"dates\": \"D/M\".")
  }
}
