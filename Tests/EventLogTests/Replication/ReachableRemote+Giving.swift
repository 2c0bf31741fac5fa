import EventLogTesting

@testable import EventLog

extension ReachableRemote {
  /// Writes lines to the remote, like an initiator that holds them.
  ///
  /// - Parameter missing: The events that the initiator states as missing.
  @discardableResult
  func give(
    _ lines: [[UInt8]], of user: String, lacking missing: [EventRange] = []
  ) async throws -> ReceiveResult {
    var batch = LineBatch()
    for line in lines { batch.add(line) }
    let histories = HandmadeHistories(lines)
    let statement = FrontierStatement(user: user, tips: histories.tips, missing: missing)
    let session = try await connect(SyncRequest(user: user, device: DeviceID("giver-aaaaaaaa")))
    _ = try await session.statement(to: statement, histories)
    try await session.announce(statement)
    let result = try await session.write(batch)
    try await session.finish()
    return result
  }
}
