import CEventLogCrashReports
import EventLog

/// The sizes of a raw file, as the recorder writes it.
package enum RawLayout {
  package static let blockBytes = Int(EVENTLOG_CRASH_BLOCK_BYTES)
  package static let version = UInt8(EVENTLOG_CRASH_VERSION)
  package static let header = Int(EVENTLOG_CRASH_HEADER)
  package static let names = Int(EVENTLOG_CRASH_NAMES)
  package static let images = Int(EVENTLOG_CRASH_IMAGES)
  package static let imageBlocks = Int(EVENTLOG_CRASH_IMAGE_BLOCKS)
  package static let imagesPerBlock = Int(EVENTLOG_CRASH_IMAGES_PER_BLOCK)
  package static let begun = Int(EVENTLOG_CRASH_BEGUN)
  package static let done = Int(EVENTLOG_CRASH_DONE)
  package static let nested = Int(EVENTLOG_CRASH_NESTED)
  package static let errors = Int(EVENTLOG_CRASH_ERRORS)
  package static let errorBlocks = Int(EVENTLOG_CRASH_ERROR_BLOCKS)
  package static let blocks = Int(EVENTLOG_CRASH_BLOCKS)
  package static let framesMax = Int(EVENTLOG_CRASH_FRAMES)
  package static let crumbsMax = Int(EVENTLOG_CRASH_CRUMBS)
  package static let textBytes = Int(EVENTLOG_CRASH_TEXT_BYTES)
  package static let nameBytes = Int(EVENTLOG_CRASH_NAME_BYTES)
  package static let namesMax = Int(EVENTLOG_CRASH_NAMES_MAX)
  package static let typeBytes = Int(EVENTLOG_CRASH_TYPE_BYTES)
}

/// The recorder of this process.
enum SystemRecorder {
  /// Starts recording into a new file.
  ///
  /// - Throws: The error of creating the file; `EALREADY` after an earlier start.
  static func start(
    path: String, session: UInt64, app: String, breadcrumbs: [String], handlesSignals: Bool
  ) throws(Errno) {
    // The C code copies all texts before it returns.
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for text in [path, app, SystemDescription.system, SystemDescription.device] + breadcrumbs {
      offsets.append(bytes.count)
      bytes += text.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    let error = bytes.withUnsafeBufferPointer { bytes in
      let texts = offsets.map { Optional(bytes.baseAddress! + $0) }
      return texts.withUnsafeBufferPointer { texts in
        var setup = eventlog_crash_setup()
        setup.path = texts[0]
        setup.session = session
        setup.app = texts[1]
        setup.system = texts[2]
        setup.device = texts[3]
        setup.names = texts.baseAddress! + 4
        setup.name_count = CInt(breadcrumbs.count)
        setup.handles_signals = handlesSignals ? 1 : 0
        return eventlog_crash_start(&setup)
      }
    }
    guard error == 0 else { throw Errno(rawValue: error) }
  }

  static func prepareThread() throws(Errno) {
    let error = eventlog_crash_prepare_thread()
    guard error == 0 else { throw Errno(rawValue: error) }
  }

  static func leave(_ crumb: UInt16) { eventlog_crash_leave(crumb) }

  static func refreshImages() { eventlog_crash_refresh_images() }
}
