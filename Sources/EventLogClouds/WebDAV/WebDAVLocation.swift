/// The location of a folder on a WebDAV server.
package struct WebDAVLocation: Sendable, Hashable {
  /// The address, as shown to the user.
  package let address: String
  /// The URL for requests, with a slash at its end.
  package let url: String

  /// Reads `https://HOST/PATH`, or `http://HOST/PATH` on this machine; nil for other texts.
  package init?(url: String) {
    do throws(AddressError) { try self.init(reading: url) } catch { return nil }
  }

  init(reading url: String) throws(AddressError) {
    let server = try ServerAddress(url)
    address = "\(server.isSecure ? "davs" : "dav")://\(server.host)\(server.path)"
    self.url = server.url + "/"
  }
}
