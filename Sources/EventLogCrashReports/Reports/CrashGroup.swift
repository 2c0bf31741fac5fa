package import EventLog

/// Reports that probably have one cause: the same kind, signal and innermost frames.
package struct CrashGroup: Sendable {
  /// The number of frames that are compared.
  package static let frameCount = 5

  /// A number of reports with the same value.
  package struct Count: Sendable, Hashable {
    package let name: String
    package let count: Int
  }

  /// Whether the number of reports per day grows.
  package enum Trend: String, Sendable {
    case rising, falling, steady
  }

  package let title: String
  /// The names of the innermost frames.
  package let top: [String]
  /// The reports, the latest first.
  package let reports: [CrashReport]

  /// Groups reports, the largest group first.
  ///
  /// - Parameter name: Returns the name of the place in the code at an address of an image. Places
  ///   of several versions have the same name only if they are symbolicated.
  package static func groups(
    of reports: [CrashReport], naming name: (CrashReport.Frame) -> String
  ) -> [CrashGroup] {
    var members: [Key: [CrashReport]] = [:]
    for report in reports {
      let top = report.places.compactMap { $0 }.prefix(frameCount).map(name)
      members[Key(title: title(of: report), top: Array(top)), default: []].append(report)
    }
    let groups = members.map { key, reports in
      CrashGroup(
        title: key.title, top: key.top, reports: reports.sorted(by: CrashReport.isLater))
    }
    return groups.sorted {
      let (one, other) = ($0.reports.count, $1.reports.count)
      if one != other { return one > other }
      return ($0.title, $0.top.joined()) < ($1.title, $1.top.joined())
    }
  }

  private struct Key: Hashable {
    let title: String
    let top: [String]
  }

  /// The kind of a report, and its signal or type of error.
  package static func title(of report: CrashReport) -> String {
    switch report.kind {
    case .crash:
      (report.signal?.rawValue ?? "crash") + (report.fault.map { ", \($0.phrase)" } ?? "")
    case .error: report.errorType ?? "error"
    case .hang: "hang"
    case .processor: "processor time"
    case .diskWrites: "disk writes"
    }
  }

  // MARK: - Counts

  package var severities: [Count] { Self.counts(of: reports) { $0.severity.rawValue } }
  package var versions: [Count] { Self.counts(of: reports) { $0.app ?? "unknown" } }
  package var devices: [Count] { Self.counts(of: reports) { $0.device ?? "unknown" } }
  package var systems: [Count] { Self.counts(of: reports) { $0.system ?? "unknown" } }

  /// The number of reports with each value, the most frequent first.
  package static func counts(
    of reports: [CrashReport], by value: (CrashReport) -> String
  ) -> [Count] {
    var counts: [String: Int] = [:]
    for report in reports { counts[value(report), default: 0] += 1 }
    return counts.map { Count(name: $0.key, count: $0.value) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.name < $1.name
    }
  }

  /// The number of reports on each of the last days, the earliest first.
  ///
  /// - Parameter last: The last day.
  package static func days(
    of reports: [CrashReport], endingOn last: Day, count: Int = 14
  ) -> [(day: Day, count: Int)] {
    var counts: [Day: Int] = [:]
    for report in reports { counts[Day(report.hour), default: 0] += 1 }
    return (0..<count).map { index in
      let day = last.advanced(by: index - count + 1)
      return (day, counts[day] ?? 0)
    }
  }

  /// Compares the last seven days with the seven before.
  package func trend(endingOn last: Day) -> Trend {
    let days = Self.days(of: reports, endingOn: last).map(\.count)
    let (before, after) = (days.prefix(7).reduce(0, +), days.suffix(7).reduce(0, +))
    return after > before ? .rising : after < before ? .falling : .steady
  }
}

extension CrashReport {
  /// The frames, with each return address moved back into the call before it.
  package var places: [Frame?] {
    frames.enumerated().map { index, frame in
      guard let frame, index > 0 || kind == .error, frame.offset > 0 else { return frame }
      return Frame(image: frame.image, offset: frame.offset - 1)
    }
  }
}

extension CrashReport.Fault {
  fileprivate var phrase: String {
    switch self {
    case .null: "null pointer"
    case .stack: "stack overflow"
    case .code: "address in code"
    case .other: "invalid address"
    case .sent: "sent"
    }
  }
}
