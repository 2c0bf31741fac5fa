/// A server's complete response to a request.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: [HTTPHeader]
  package var body: [UInt8]

  package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The value of the first header with a name, ignoring case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The target of a redirect, or nil for other responses.
  ///
  /// It excludes the query, which may contain secrets.
  var redirectTarget: String? {
    guard [301, 302, 303, 307, 308].contains(status) else { return nil }
    return header("location").map { String($0.prefix { $0 != "?" && $0 != "#" }) }
  }

  /// Whether the length of the body is that of the `Content-Length` header, if there is one.
  var hasDeclaredLength: Bool {
    guard ![204, 304].contains(status), header("transfer-encoding") == nil,
      let length = header("content-length")
    else { return true }
    return Int(length) == body.count
  }
}
