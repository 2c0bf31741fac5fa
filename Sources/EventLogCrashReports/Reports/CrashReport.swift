public import EventLog

/// A report of a crash or an error, which contains nothing personal.
///
/// These are all of its values: there is no message, no path, no name of a person or a device, no
/// locale, and nothing of the app's data. A text is in a report only if it has the form that this
/// page describes.
public struct CrashReport: Sendable, Hashable, Identifiable {
  /// The kinds of reports.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The process ended by a signal.
    case crash
    /// An error that the app recorded.
    case error
    /// The app didn't respond for a while, which only MetricKit reports.
    case hang
    /// The app used the processor for too long, which only MetricKit reports.
    case processor
    /// The app wrote too much, which only MetricKit reports.
    case diskWrites
  }

  /// The signals that are reported.
  public enum Signal: String, Sendable, Hashable, CaseIterable {
    /// An access to memory that isn't there, or that has other permissions.
    case segmentation = "SIGSEGV"
    /// An access to memory that can't be provided.
    case bus = "SIGBUS"
    /// An illegal instruction. Swift's runtime errors use it on most systems.
    case illegal = "SIGILL"
    /// A call of `abort`.
    case aborted = "SIGABRT"
    /// An arithmetic error, such as a division by zero.
    case arithmetic = "SIGFPE"
    /// A breakpoint. Swift's runtime errors use it on some systems.
    case trap = "SIGTRAP"
    /// The process was ended by another one, or by the system.
    case killed = "SIGKILL"
  }

  /// The classes of the address of a failed access. The address itself isn't in a report.
  public enum Fault: String, Sendable, Hashable, CaseIterable {
    /// The first 64 KiB: an access through a null pointer.
    case null
    /// The end of the thread's stack: probably a stack overflow.
    case stack
    /// The code of the program or a library.
    case code
    /// Anything else.
    case other
    /// No address: another process, or the process itself, sent the signal.
    case sent
  }

  /// The memory that was available.
  public enum Memory: String, Sendable, Hashable, CaseIterable {
    /// Less than 64 MiB.
    case under64MiB = "under 64 MiB"
    /// Less than 256 MiB.
    case under256MiB = "64-256 MiB"
    /// Less than 1 GiB.
    case under1GiB = "256 MiB-1 GiB"
    /// Less than 4 GiB.
    case under4GiB = "1-4 GiB"
    /// At least 4 GiB.
    case over4GiB = "over 4 GiB"
  }

  /// A place in the code.
  public struct Frame: Sendable, Hashable, CustomStringConvertible {
    /// The identifier that the linker gave the image: 8–64 hexadecimal digits.
    public let image: String
    /// The offset from the address at which the image is loaded, in bytes.
    ///
    /// The first frame's is that of an instruction. The others' are return addresses, which follow
    /// the call.
    public let offset: UInt64

    package init(image: String, offset: UInt64) {
      (self.image, self.offset) = (image, offset)
    }

    /// The image and the offset, such as `2a7c687a1d6e1694+0x1f30`.
    public var description: String { "\(image)+0x\(String(offset, radix: 16))" }
  }

  /// The report's ID: 32 hexadecimal digits, computed from its content and the recording's.
  public internal(set) var id: String
  /// The kind of the report.
  public internal(set) var kind = Kind.crash
  /// The signal, or `nil` if there was none.
  public internal(set) var signal: Signal?
  /// The class of the address of the failed access, or `nil` if there is none.
  public internal(set) var fault: Fault?
  /// The name of the error's type, or `nil` for another kind of report.
  public internal(set) var errorType: String?
  /// The severity.
  public internal(set) var severity = Severity.fatal
  /// The places in the code, the innermost first, at most 128. An unknown place is `nil`.
  public internal(set) var frames: [Frame?] = []
  /// Whether the stack has more than 128 frames.
  public internal(set) var isCut = false
  /// Whether the thread is the process's first one, or `nil` if that is unknown.
  public internal(set) var isMainThread: Bool?
  /// The app's version, or `nil` if it is unknown.
  public internal(set) var app: String?
  /// The system and its version, such as `Linux 6.1`.
  public internal(set) var system: String?
  /// The model, or the processor, the number of cores and the memory.
  public internal(set) var device: String?
  /// The memory that was available.
  public internal(set) var memory: Memory?
  /// The time, cut to the hour.
  public internal(set) var hour = Timestamp(trusted: 0)
  /// The names of the app's last steps, the oldest first, at most 20.
  public internal(set) var breadcrumbs: [String] = []
  /// Whether the handler itself failed, so that frames may be missing.
  public internal(set) var hasFailedHandler = false
  /// The number of errors, or of starts of the app, that were only counted after this report.
  public internal(set) var omittedCount = 0
}
