#if canImport(Glibc)
  import Glibc
#endif

/// Memory that was freed and that the C library keeps.
enum FreedMemory {
  /// Returns it to the system.
  ///
  /// glibc keeps it for the thread that has allocated it. Another thread allocates what the store
  /// reads, so a large import would need the memory of both.
  static func release() {
    #if canImport(Glibc)
      typealias Trim = @convention(c) (Int) -> Int32
      // The module of the C library lacks its header.
      guard let trim = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(trim, to: Trim.self)(0)
    #endif
  }
}
