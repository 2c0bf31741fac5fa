#if canImport(Glibc)
  import Glibc
#endif

/// Memory that was freed and that the C library keeps.
package enum FreedMemory {
  /// The batches of lines after which it is returned: a call looks at all memory of the process.
  static let batchesPerRelease = 8

  /// Returns it to the system.
  ///
  /// glibc keeps it for the thread that has allocated it, in pieces between those in use. Another
  /// thread allocates what the store reads, so a large import would need the memory of both.
  static func release() {
    #if canImport(Glibc)
      typealias Trim = @convention(c) (Int) -> Int32
      // The module of the C library lacks its header.
      guard let trim = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(trim, to: Trim.self)(0)
    #endif
  }

  /// Makes the C library return every large block at once.
  ///
  /// Otherwise, glibc also keeps large blocks once one of their size was freed. This applies to the
  /// whole process, so it is for a program, not for a library in an app.
  package static func returnLargeBlocks() {
    #if canImport(Glibc)
      typealias Option = @convention(c) (Int32, Int32) -> Int32
      let largeBlocks: Int32 = -3  // M_MMAP_THRESHOLD
      guard let option = dlsym(nil, "mallopt") else { return }
      _ = unsafeBitCast(option, to: Option.self)(largeBlocks, 128 << 10)
    #endif
  }
}
