/// Returns varied bytes. It is fast, because some tests need megabytes.
func someBytes(_ count: Int) -> [UInt8] {
  var bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  while bytes.count < count { bytes += bytes }
  return Array(bytes.prefix(count))
}
