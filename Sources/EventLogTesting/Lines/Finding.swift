/// Something that must never be so, found in what the product made of some bytes.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Throws, with these words, what does not hold.
  package static func require(
    _ holds: Bool, _ description: @autoclosure () -> String
  ) throws(Finding) {
    if !holds { throw Finding(description()) }
  }
}
