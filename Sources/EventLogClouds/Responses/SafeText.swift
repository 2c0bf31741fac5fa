/// Makes untrusted text safe to show.
enum SafeText {
  /// Returns at most 200 characters on one line. Unprintable characters are replaced.
  static func quote(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars.prefix(200) {
      quoted.unicodeScalars.append(
        scalar.properties.generalCategory.isShown ? scalar : scalar == "\n" ? " " : "\u{FFFD}")
    }
    return text.unicodeScalars.count > 200 ? quoted + "…" : quoted
  }

  /// Returns the start of a response's body.
  static func quote(_ body: [UInt8]) -> String {
    quote(String(decoding: body.prefix(400), as: UTF8.self))
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isShown: Bool {
    switch self {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }
}
