import Synchronization

/// The entries of a listing that aren't objects of the remote.
struct SkippedEntries: Sendable {
  private var first: (name: String, reason: String)?
  private var count = 0

  /// - Parameter reason: The predicate of a sentence about the entry.
  mutating func add(_ name: String, because reason: String) {
    if first == nil { first = (name, reason) }
    count += 1
  }

  mutating func add(_ others: SkippedEntries) {
    first = first ?? others.first
    count += others.count
  }

  /// A clause about the first entry, or nil if nothing was skipped.
  var reason: String? { first.map { "\"\($0.name)\" \($0.reason)" } }

  /// Returns a notice for the user, or nil if nothing was skipped.
  func notice(at address: String) -> String? {
    guard let first else { return nil }
    let rest = count - 1
    let others = rest == 0 ? "" : ", as were \(rest) \(rest == 1 ? "other" : "others")"
    return "\"\(first.name)\" in \"\(address)\" was left out, because it \(first.reason)\(others)."
  }
}

/// The skipped entries of the last listing.
///
/// Copies of a storage share it.
final class SkippedEntryLog: Sendable {
  private let state = Mutex(SkippedEntries())

  /// - Parameter isFirst: Whether the entries are from the first page of a listing.
  func record(_ entries: SkippedEntries, isFirst: Bool) {
    state.withLock { state in
      if isFirst { state = SkippedEntries() }
      state.add(entries)
    }
  }

  func notices(at address: String) -> [String] {
    state.withLock { $0 }.notice(at: address).map { [$0] } ?? []
  }
}
