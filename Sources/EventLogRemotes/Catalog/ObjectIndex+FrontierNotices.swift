import EventLog

// Notices about the frontiers of a remote.

extension ObjectIndex {
  /// Whether the remote has events of the initiator but no frontier that names their user.
  func lacksFrontier() async throws(EventLogError) -> Bool {
    guard catalog.frontiers.isEmpty, catalog.later.isEmpty else { return false }
    return try await !lookup.held(catalog.objects.map(\.range.end)).isEmpty
  }

  /// The notices about lost and damaged frontiers.
  ///
  /// - Parameter isWritten: Whether this run has written one as `writer`.
  func frontierNotices(
    _ isWritten: Bool, by writer: DeviceID?
  ) async throws(EventLogError) -> [String] {
    let (isLost, address) = (try await lacksFrontier(), storage.address)
    if isLost, catalog.unread.isEmpty {
      return [
        "\"\(address)\" \(isWritten ? "had" : "has") no file that says whose events it contains:"
          + (isWritten ? " it was written again." : " the next sync writes it again.")
      ]
    }
    let own = Set(catalog.unreadFrontiers(of: writer).map(\.text))
    return catalog.unread.map(\.name).sorted().map { name in
      "\"\(name)\" in \"\(address)\", which says whose events are there, is incomplete or damaged"
        + (!isLost && !own.contains(name)
          ? ". If it still is after all devices have synced, remove it."
          : isWritten ? ": a new file replaces it." : ": the next sync writes a new one.")
    }
  }

  /// Checks a remote that doesn't name the user of its events.
  ///
  /// - Throws: `remoteFailed` if it contains objects with events.
  func checkUserIsStated() throws(EventLogError) {
    let byteCounts = catalog.objects.map(\.byteCount) + catalog.unread.map(\.byteCount)
    let count = byteCounts.count + catalog.later.count
    if count == 0 { return }
    let files = count == 1 ? "1 file" : "\(count) files"
    if byteCounts.count == count, byteCounts.allSatisfy({ $0 == 0 }) {
      throw EventLogError(
        .remoteFailed,
        "\"\(storage.address)\" contains \(files) for events, but"
          + " \(count == 1 ? "it is" : "all are") empty. Nothing was changed.",
        hint: "A cloud drive may not have downloaded them yet: let it keep the folder on this"
          + " device, then sync again.")
    }
    throw EventLogError(
      .remoteFailed,
      "\"\(storage.address)\" contains \(files) for events, but none can be read that says whose"
        + " they are. Nothing was changed.",
      hint: catalog.later.isEmpty
        ? "If such a file is late, sync again later. If it is lost or damaged, sync another device"
          + " that has the events: it writes the file again."
        : "A later version of eventlog wrote it: update eventlog on this device.")
  }
}
