import EventLog

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system and the class of this device, without its name or serial number.
enum SystemDescription {
  #if os(macOS)
    private static let name = "macOS"
  #elseif os(iOS)
    private static let name = "iOS"
  #elseif os(tvOS)
    private static let name = "tvOS"
  #elseif os(watchOS)
    private static let name = "watchOS"
  #elseif os(visionOS)
    private static let name = "visionOS"
  #else
    private static let name = "Linux"
  #endif

  /// The name of the system and the first two parts of its version, such as `Linux 6.1`.
  static var system: String {
    #if canImport(Darwin)
      let version = control("kern.osproductversion") ?? "0"
    #else
      var names = utsname()
      guard uname(&names) == 0 else { return "\(name) 0" }
      let version = withUnsafeBytes(of: &names.release) { text($0) }
    #endif
    // The bytes, because the first use of a property of characters takes longer than the rest.
    let parts = version.utf8.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      .split(separator: UInt8(ascii: ".")).prefix(2)
    return "\(name) \(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "."))"
  }

  /// The model on Apple's mobile systems, and otherwise the processor and the memory, which is
  /// rounded up to a power of two, such as `x86_64, 4 cores, 16 GiB`.
  static var device: String {
    #if canImport(Darwin) && !os(macOS)
      if let model = control("hw.machine") { return model }
    #endif
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_CONF))))
    let bytes = Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE)))
    var gibibytes = 1
    while Double(gibibytes) * 1_073_741_824 < bytes, gibibytes < 1 << 20 { gibibytes *= 2 }
    return "\(processor), \(cores) \(cores == 1 ? "core" : "cores"), \(gibibytes) GiB"
  }

  #if arch(x86_64)
    private static let processor = "x86_64"
  #elseif arch(arm64)
    private static let processor = "arm64"
  #else
    private static let processor = "other"
  #endif

  /// The text up to the first zero.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  #if canImport(Darwin)
    private static func control(_ name: String) -> String? {
      var buffer = [UInt8](repeating: 0, count: 256)
      var count = buffer.count
      guard sysctlbyname(name, &buffer, &count, nil, 0) == 0 else { return nil }
      return buffer.withUnsafeBytes { text(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
  #endif
}

extension Errno {
  /// The process has started recording before (`EALREADY`).
  static let alreadyStarted = Errno(rawValue: EALREADY)
}
