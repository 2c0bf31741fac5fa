/// A folder of a WebDAV server.
package struct WebDAVPlace: Sendable, Hashable {
  /// As shown to the user.
  package let address: String
  /// As requested, with a slash at its end.
  package let url: String

  /// Reads `https://HOST/PATH`, or `http://HOST/PATH` on this machine itself. Nil for another text.
  package init?(url: String) {
    do throws(AddressFlaw) { try self.init(reading: url) } catch { return nil }
  }

  init(reading url: String) throws(AddressFlaw) {
    let server = try ServerAddress(url)
    address = "\(server.isSecure ? "davs" : "dav")://\(server.host)\(server.path)"
    self.url = server.url + "/"
  }
}
