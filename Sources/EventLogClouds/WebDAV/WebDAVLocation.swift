/// The location of a folder on a WebDAV server.
package struct WebDAVLocation: Sendable, Hashable {
  /// The address, as shown to the user.
  package let address: String
  /// The URL for requests, with a trailing slash.
  package let url: String

  /// Parses `https://HOST/PATH`, or `http://HOST/PATH` on this machine. Nil for other texts.
  package init?(url: String) {
    do throws(AddressError) { try self.init(reading: url) } catch { return nil }
  }

  init(reading url: String) throws(AddressError) {
    let server = try ServerAddress(url)
    address = "\(server.isSecure ? "davs" : "dav")://\(server.host)\(server.path)"
    self.url = server.url + "/"
  }
}
