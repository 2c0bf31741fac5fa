// The two searches that the C library does faster than any loop here would. They take pointers and
// numbers, allocate nothing, and disappear into their callers.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

/// Returns the offset of the first such byte, or `count` if there is none. (`memchr`)
///
/// - Complexity: O(`count`)
@inline(__always)
func indexOfByte(_ byte: UInt8, in base: UnsafePointer<UInt8>, count: Int) -> Int {
  guard let found = memchr(base, CInt(byte), count) else { return count }
  return UnsafeRawPointer(found) - UnsafeRawPointer(base)
}

/// Compares `count` bytes as unsigned numbers: negative if `left` sorts first, 0 if equal.
/// (`memcmp`)
///
/// - Complexity: O(`count`)
@inline(__always)
func compareBytes(
  _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int
) -> Int {
  Int(memcmp(left, right, count))
}
