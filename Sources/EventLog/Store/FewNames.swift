extension Collection where Element == String {
  /// The first five of some names, and how many more there are, for a sentence.
  var firstFew: String {
    prefix(5).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "")
  }
}
