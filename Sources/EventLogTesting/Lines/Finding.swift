/// A violated invariant, found while processing some bytes.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Throws a finding with this description unless the condition holds.
  package static func require(
    _ holds: Bool, _ description: @autoclosure () -> String
  ) throws(Finding) {
    if !holds { throw Finding(description()) }
  }
}
