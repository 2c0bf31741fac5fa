extension HTTPTransport where Self == CurlTransport {
  #if !canImport(Darwin)
    /// What sends requests on this system.
    package static var system: CurlTransport { CurlTransport() }
  #endif
}

#if canImport(Darwin)
  extension HTTPTransport where Self == URLSessionTransport {
    /// What sends requests on this system.
    package static var system: URLSessionTransport { URLSessionTransport() }
  }
#endif
