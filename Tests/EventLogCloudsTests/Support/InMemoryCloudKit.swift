import EventLog
import EventLogClouds
import Synchronization

/// An implementation of the calls, as in an app, with records in memory.
final class InMemoryCloudKit: CloudKitCalls {
  private struct State {
    var records: [String: CloudKitRecord]?
    /// The names of changed records, in order. Only the last entry of a name counts.
    var log: [String] = []
  }

  private let state = Mutex(State())
  private let pageCount: Int

  init(pageCount: Int = 3) { self.pageCount = pageCount }

  var names: [String] { state.withLock { $0.records?.keys.sorted() ?? [] } }

  func modify(
    creating records: [CloudKitRecord], deleting names: [String]
  ) async throws(CloudKitError) -> [String: Result<Void, CloudKitError>] {
    try state.withLock { (state) throws(CloudKitError) in
      if state.records == nil, records.isEmpty {
        throw CloudKitError(.zoneMissing, "there is no zone")
      }
      var all = state.records ?? [:]
      var outcomes: [String: Result<Void, CloudKitError>] = [:]
      for record in records {
        let isTaken = all[record.name] != nil
        outcomes[record.name] =
          isTaken ? .failure(CloudKitError(.exists, "it exists")) : .success(())
        if !isTaken { all[record.name] = record }
      }
      // As in CloudKit, deleting a record that doesn't exist succeeds.
      for name in names {
        all[name] = nil
        outcomes[name] = .success(())
      }
      let failed = outcomes.filter { (try? $0.value.get()) == nil }
      if failed.isEmpty {
        state.records = all
        state.log += records.map(\.name) + names
        return outcomes
      }
      return outcomes.merging(
        outcomes.keys.filter { failed[$0] == nil }
          .map { ($0, .failure(CloudKitError(.atomicFailure, "another one failed"))) }
      ) { $1 }
    }
  }

  func changes(since token: String?) async throws(CloudKitError) -> CloudKitRecord.Changes {
    try state.withLock { (state) throws(CloudKitError) in
      guard let records = state.records else {
        throw CloudKitError(.zoneMissing, "there is no zone")
      }
      guard let start = Int(token ?? "0"), start <= state.log.count else {
        throw CloudKitError(.tokenExpired, "the token has expired")
      }
      let page = state.log[start...].prefix(pageCount)
      let names = page.filter { !state.log[page.endIndex...].contains($0) }
      return CloudKitRecord.Changes(
        records: names.compactMap { records[$0] }.map {
          CloudKitRecord(name: $0.name, size: $0.size)
        },
        deleted: names.filter { records[$0] == nil }, token: "\(page.endIndex)",
        isMoreComing: page.endIndex < state.log.endIndex)
    }
  }

  func lookup(_ names: [String]) async throws(CloudKitError) -> [CloudKitRecord] {
    state.withLock { state in names.compactMap { state.records?[$0] } }
  }
}
