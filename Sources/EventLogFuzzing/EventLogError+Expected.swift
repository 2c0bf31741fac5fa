import EventLog
import EventLogTesting

extension EventLogError {
  /// Checks that an arbitrary remote may cause the error.
  func checkIsOfRemote() throws(Finding) {
    let codes: [Code] = [.remoteFailed, .otherUser, .userNeeded, .noJournal, .notAJournal]
    try Finding.require(codes.contains(code), "Unexpected: \(self)")
  }

  /// Checks that an arbitrary event may cause the error.
  func checkIsOfEvent() throws(Finding) {
    let codes: [Code] = [
      .unknownType, .reservedType, .invalidEvent, .noEntity, .deletedEntity, .entityExists,
      .changedMeanwhile, .eventTooLarge, .invalidInput,
    ]
    try Finding.require(codes.contains(code), "Unexpected: \(self)")
  }
}
