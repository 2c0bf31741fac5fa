/// An error that stops these programs, and is never a finding about the product.
struct TortureError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
