import EventLog
import EventLogTesting

extension EventLogError {
  /// Checks that it is an error which a remote may cause that says anything.
  func checkIsOfRemote() throws(Finding) {
    let codes: [Code] = [.remoteFailed, .otherUser, .userNeeded, .noJournal, .notAJournal]
    try Finding.require(codes.contains(code), "Unexpected: \(self)")
  }

  /// Checks that it is an error which an event may cause that says anything.
  func checkIsOfEvent() throws(Finding) {
    let codes: [Code] = [
      .unknownType, .reservedType, .invalidEvent, .noEntity, .deletedEntity, .entityExists,
      .changedMeanwhile, .eventTooLarge, .invalidInput,
    ]
    try Finding.require(codes.contains(code), "Unexpected: \(self)")
  }
}
