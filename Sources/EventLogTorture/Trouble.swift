/// A reason why these programs can't continue, which is never a finding about the product.
struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
