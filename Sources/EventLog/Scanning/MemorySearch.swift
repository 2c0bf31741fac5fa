// C library functions, which are faster than any loop here.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

/// Returns the offset of the first `byte`, or `count` if there is none. (`memchr`)
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

/// Compares bytes as unsigned numbers: negative if `left` sorts first, 0 if they are equal; a
/// prefix sorts before the whole.
func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
  let count = min(left.count, right.count)
  if count > 0 {
    let order = compareBytes(left.baseAddress!, right.baseAddress!, count: count)
    if order != 0 { return order }
  }
  return left.count - right.count
}

/// The length of the common prefix of two arrays.
func commonCount(_ left: [UInt8], _ right: [UInt8]) -> Int {
  let count = min(left.count, right.count)
  let order = left.withUnsafeBufferPointer { left in
    right.withUnsafeBufferPointer { right in
      compare(.init(rebasing: left[..<count]), .init(rebasing: right[..<count]))
    }
  }
  return order == 0 ? count : (0..<count).first { left[$0] != right[$0] } ?? count
}

/// Whether `count` bytes are equal; inlined, because most names are too short for a function call.
@inline(__always)
func areEqual(
  _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int
) -> Bool {
  func word(_ bytes: UnsafePointer<UInt8>, _ offset: Int) -> UInt64 {
    UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
  var index = 0
  if count < 8 {
    while index < count {
      if left[index] != right[index] { return false }
      index &+= 1
    }
    return true
  }
  while index &+ 8 <= count {
    if word(left, index) != word(right, index) { return false }
    index &+= 8
  }
  // The last eight bytes, which may overlap the previous ones.
  return word(left, count &- 8) == word(right, count &- 8)
}

/// Allocates `count` zero bytes; free them with ``freeZeros(_:)``. (`calloc`)
///
/// A large allocation costs nothing until it is touched, because the system provides zero pages
/// then.
func allocateZeros(_ count: Int) -> UnsafeMutablePointer<UInt8> {
  guard let base = calloc(count, 1) else { fatalError("no memory for \(count) bytes") }
  return base.bindMemory(to: UInt8.self, capacity: count)
}

/// Frees bytes that ``allocateZeros(_:)`` allocated. (`free`)
func freeZeros(_ base: UnsafeMutablePointer<UInt8>) { free(base) }
