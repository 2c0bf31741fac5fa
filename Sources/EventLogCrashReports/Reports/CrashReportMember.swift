import EventLog

/// A member of a report's JSON, which is also a field of a report in a journal.
///
/// The ID isn't among them, because it is the key of the report's entity.
struct CrashReportMember: Sendable {
  let field: FieldSchema
  /// The value, or nil if it is unknown.
  let value: @Sendable (CrashReport) -> JSONValue?
  /// Sets the value of a report; false if the report can't be read without it, or in this form.
  let read: @Sendable (JSONValue?, inout CrashReport) -> Bool

  private init(
    _ name: String, _ rule: ValueRule, _ note: String,
    value: @escaping @Sendable (CrashReport) -> JSONValue?,
    read: @escaping @Sendable (JSONValue?, inout CrashReport) -> Bool
  ) {
    field = FieldSchema(name, .register(rule), note: note)
    (self.value, self.read) = (value, read)
  }

  /// All members, in the order of their names.
  static let all: [CrashReportMember] = [
    text("app", \.app, "the app's version", ReportTexts.app),
    list("breadcrumbs", \.breadcrumbs, "the app's last steps", max: RawLayout.crumbsMax) {
      $0
    } read: {
      ReportTexts.name($0)
    },
    flag("cut", \.isCut, "whether frames are missing"),
    text("device", \.device, "the class of the device", ReportTexts.device),
    text("errorType", \.errorType, "", ReportTexts.wholeTypeName),
    flag("failedHandler", \.hasFailedHandler, ""),
    word("fault", \.fault, "what the address is near"),
    list("frames", \.frames, "image+offset, innermost first", max: RawLayout.framesMax) {
      $0?.description ?? "?"
    } read: { text in
      if text == "?" { return .some(nil) }
      return CrashReport.Frame(text).map { .some($0) }
    },
    CrashReportMember("hour", .time, "") {
      .string($0.hour.description)
    } read: { value, report in
      guard let hour = value?.plainText.flatMap({ Timestamp($0) }) else { return false }
      report.hour = hour.startOfHour
      return true
    },
    word("kind", \.kind),
    CrashReportMember("mainThread", .boolean, "") {
      $0.isMainThread.map { .bool($0) }
    } read: { value, report in
      if case .bool(let isMain)? = value { report.isMainThread = isMain }
      return true
    },
    word("memory", \.memory, "the available memory"),
    CrashReportMember("omitted", .wholeNumber(from: 0), "reports only counted") {
      $0.omittedCount > 0 ? .number(JSONNumber(Int64($0.omittedCount))) : nil
    } read: { value, report in
      report.omittedCount = Int(clamping: max(0, value?.integer ?? 0))
      return true
    },
    word("severity", \.severity),
    word("signal", \.signal, ""),
    text("system", \.system, "", ReportTexts.system),
  ]

  // MARK: - Forms

  private typealias Path<Value> = any WritableKeyPath<CrashReport, Value> & Sendable

  /// A text that is left out if it has another form.
  private static func text(
    _ name: String, _ path: Path<String?>, _ note: String,
    _ check: @escaping @Sendable (String) -> String?
  ) -> CrashReportMember {
    CrashReportMember(name, .text, note) {
      $0[keyPath: path].map { .string($0) }
    } read: { value, report in
      report[keyPath: path] = value?.plainText.flatMap(check)
      return true
    }
  }

  /// One of a few words, which is left out if it is another one.
  private static func word<Word: RawRepresentable<String> & Sendable>(
    _ name: String, _ path: Path<Word?>, _ note: String
  ) -> CrashReportMember {
    CrashReportMember(name, .text, note) {
      $0[keyPath: path].map { .string($0.rawValue) }
    } read: { value, report in
      report[keyPath: path] = value?.plainText.flatMap { Word(rawValue: $0) }
      return true
    }
  }

  /// One of a few words, without which there is no report.
  private static func word<Word: RawRepresentable<String> & Sendable>(
    _ name: String, _ path: Path<Word>
  ) -> CrashReportMember {
    CrashReportMember(name, .text, "") {
      .string($0[keyPath: path].rawValue)
    } read: { value, report in
      guard let word = value?.plainText.flatMap({ Word(rawValue: $0) }) else { return false }
      report[keyPath: path] = word
      return true
    }
  }

  private static func flag(
    _ name: String, _ path: Path<Bool>, _ note: String
  ) -> CrashReportMember {
    CrashReportMember(name, .boolean, note) {
      $0[keyPath: path] ? true : nil
    } read: { value, report in
      report[keyPath: path] = value == .bool(true)
      return true
    }
  }

  /// Texts that all must have their form.
  private static func list<Element: Sendable>(
    _ name: String, _ path: Path<[Element]>, _ note: String,
    max: Int, text: @escaping @Sendable (Element) -> String,
    read: @escaping @Sendable (String) -> Element?
  ) -> CrashReportMember {
    CrashReportMember(name, .list(of: .text), note) {
      .array($0[keyPath: path].map { .string(text($0)) })
    } read: { value, report in
      guard case .array(let values)? = value, values.count <= max else { return false }
      var elements: [Element] = []
      for value in values {
        guard let element = value.plainText.flatMap(read) else { return false }
        elements.append(element)
      }
      report[keyPath: path] = elements
      return true
    }
  }
}
