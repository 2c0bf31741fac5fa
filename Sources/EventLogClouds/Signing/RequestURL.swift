/// The parts of a URL that a signature covers.
struct RequestURL {
  let host: String
  let path: String
  let query: String

  /// - Parameter url: A URL with a scheme.
  init(_ url: String) {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    host = String(rest[..<end])
    let (path, query) = Self.split(rest[end...], at: "?")
    self.path = path.isEmpty ? "/" : String(path)
    self.query = String(query)
  }

  /// The query parameters, sorted by name and value. Each has an equals sign.
  var sortedQuery: String {
    query.split(separator: "&").map { pair in
      let (name, value) = Self.split(pair, at: "=")
      return (String(name), String(value))
    }
    .sorted { $0 < $1 }
    .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  private static func split(
    _ text: Substring, at separator: Character
  ) -> (Substring, Substring) {
    guard let index = text.firstIndex(of: separator) else { return (text, "") }
    return (text[..<index], text[text.index(after: index)...])
  }
}
