extension String {
  /// The text for a message, cut if it's long.
  var shortened: String {
    let start = unicodeScalars.prefix(60)
    return start.endIndex == unicodeScalars.endIndex ? self : String(start) + "…"
  }

  /// The text in quotation marks for a message, cut if it's long.
  var quoted: String { "\"\(shortened)\"" }
}
