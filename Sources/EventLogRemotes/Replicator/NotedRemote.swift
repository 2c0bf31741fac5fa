package import EventLog

/// A remote, the record of its last runs, and the time of a replicator's next attempt.
package typealias NotedRemote = (address: String, record: RemoteRecord?, nextAttempt: Timestamp?)

extension SideFolder {
  /// The remembered remotes, and those of an app's replicators.
  ///
  /// - Throws: `inputOutput` if they can't be read.
  package var notedRemotes: [NotedRemote] {
    get throws(EventLogError) {
      let remotes = try remotes
      var noted: [NotedRemote] = []
      for address in try remotes
        + recordedRemotes.filter({ address in !remotes.contains { $0.hasBytes(of: address) } })
      {
        let record = try remoteRecord(of: address)
        let memory = record?.failure == nil ? nil : ReplicatorMemory(of: address, in: self)
        noted.append((address, record, memory?.retry?.at))
      }
      return noted
    }
  }
}
