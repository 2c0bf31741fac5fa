/// Makes CloudKit's texts safe to show.
enum CloudKitText {
  /// Replaces words that are long enough to contain a token, such as URLs.
  static func withoutSecrets(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.utf8.count > 48 ? "…" : $0 }.joined(separator: " ")
  }
}
