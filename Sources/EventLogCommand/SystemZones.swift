import EventLog
import EventLogImport
import Synchronization

/// The time zones of the system, of which the C library uses one at a time.
enum SystemZones {
  private static let used = Mutex<String?>(nil)

  /// Returns a zone by its name, such as `Europe/Berlin`, or nil if there is none.
  static func zone(_ name: String) -> ImportZone? {
    guard used.withLock({ use(name, &$0) }) else { return nil }
    return ImportZone(name: name) { time in
      used.withLock { current in
        // The zone was there before; if its file is gone now, the C library uses UTC.
        _ = use(name, &current)
        return Terminal.secondsEastOfUTC(at: time)
      }
    }
  }

  private static func use(_ name: String, _ current: inout String?) -> Bool {
    if current == name { return true }
    guard Terminal.useZone(name) else { return false }
    current = name
    return true
  }
}
