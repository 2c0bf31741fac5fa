extension HTTPTransport where Self == CurlTransport {
  #if !canImport(Darwin)
    /// The transport of this system.
    package static var system: CurlTransport { CurlTransport() }
  #endif
}

#if canImport(Darwin)
  extension HTTPTransport where Self == URLSessionTransport {
    /// The transport of this system.
    package static var system: URLSessionTransport { URLSessionTransport() }
  }
#endif
