/// The mark before the decimals of a number.
public enum DecimalMark: String, Sendable, Hashable, CaseIterable {
  /// A point, as in `1,234.5`.
  case point = "."
  /// A comma, as in `1.234,5`.
  case comma = ","

  private static let commaLanguages: Set<String> = [
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl",
    "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "ky", "lb", "lt", "lv", "mk", "nb", "nl", "nn",
    "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
  ]
  private static let pointLanguages: Set<String> = [
    "bn", "cy", "en", "fil", "ga", "gu", "he", "hi", "ja", "kn", "ko", "ml", "mr", "ms", "mt", "pa",
    "ta", "te", "th", "ur", "zh",
  ]
  /// The locales whose mark differs from that of their language.
  private static let exceptions: [String: DecimalMark] = [
    "de-CH": .point, "de-LI": .point, "it-CH": .point, "en-AT": .comma, "en-BE": .comma,
    "en-DE": .comma, "en-DK": .comma, "en-FI": .comma, "en-NL": .comma, "en-SE": .comma,
    "en-ZA": .comma, "es-419": .point, "es-CU": .point, "es-DO": .point, "es-GT": .point,
    "es-HN": .point, "es-MX": .point, "es-NI": .point, "es-PA": .point, "es-PE": .point,
    "es-PR": .point, "es-SV": .point, "es-US": .point,
  ]

  /// Creates the mark of a locale, such as `de` or `en_US`.
  ///
  /// Returns `nil` for an unknown language.
  public init?(locale: String) {
    let parts = locale.prefix { $0 != "." && $0 != "@" }.split { $0 == "_" || $0 == "-" }
    guard let language = parts.first?.lowercased() else { return nil }
    // A script, such as Latn, may stand between language and region.
    let region = parts.dropFirst().last.map { "\(language)-\($0.uppercased())" }
    if let mark = region.flatMap({ Self.exceptions[$0] }) {
      self = mark
    } else if Self.commaLanguages.contains(language) {
      self = .comma
    } else if Self.pointLanguages.contains(language) {
      self = .point
    } else {
      return nil
    }
  }
}
