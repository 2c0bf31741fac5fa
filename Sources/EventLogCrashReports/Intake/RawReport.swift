/// A report as its source gives it: nothing of it is known to be free of secrets.
package struct RawReport: Sendable, Hashable {
  /// A place in the code.
  package enum Frame: Sendable, Hashable {
    /// An address in the memory of the process.
    case address(UInt64)
    /// An offset from the start of an image.
    case offset(UInt64, image: String)
  }

  /// A loaded image: its identifier, and the range of its code.
  package struct Image: Sendable, Hashable {
    package var id: String
    package var base: UInt64
    package var text: UInt64
    package var textBytes: UInt64

    package init(id: String, base: UInt64, text: UInt64, textBytes: UInt64) {
      (self.id, self.base, self.text, self.textBytes) = (id, base, text, textBytes)
    }
  }

  package var kind = CrashReport.Kind.crash
  package var signal: CrashReport.Signal?
  package var fault: CrashReport.Fault?
  package var errorType = ""
  package var severity = Severity.fatal
  package var frames: [Frame] = []
  package var isCut = false
  package var isMainThread: Bool?
  package var app = ""
  package var system = ""
  package var device = ""
  package var memory: CrashReport.Memory?
  /// Milliseconds since 1970 UTC.
  package var time: Int64 = 0
  package var breadcrumbs: [String] = []
  package var hasFailedHandler = false
  package var omittedCount = 0
  /// Distinguishes this report from others with the same content, such as a random number.
  package var identity: [UInt8] = []

  package init() {}
}
