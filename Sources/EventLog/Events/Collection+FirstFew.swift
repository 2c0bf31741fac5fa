extension Collection where Element == String {
  /// The first five names and the number of the others, for a sentence.
  package var firstFew: String {
    prefix(5).joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "")
  }

  /// Up to three names, or the first three and the number of the others, for a sentence.
  package var enumeration: String {
    if count > 3 { return prefix(3).joined(separator: ", ") + " and \(count - 3) more" }
    let names = Array(self)
    return names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names.last!
  }
}
