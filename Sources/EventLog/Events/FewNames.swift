extension Collection where Element == String {
  /// The first five of some names, and how many more there are, for a sentence.
  package var firstFew: String {
    prefix(5).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "")
  }

  /// All of up to three names, or the first three and how many more there are, for a sentence.
  package var enumeration: String {
    if count > 3 { return prefix(3).joined(separator: ", ") + " and \(count - 3) more" }
    let names = Array(self)
    return names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names.last!
  }
}
