import EventLogTesting
import Testing

@testable import EventLog

/// The lines of a journal in other spellings.
///
/// Other bytes have other chains, so each line is chained again to its predecessor, and `seen`
/// refers to the new chains. Missing events keep their chains.
struct RespelledJournal {
  /// In the order of the original lines.
  private(set) var lines: [[UInt8]] = []
  /// The original ID of each event.
  private var oldIDs: [FullEventID: FullEventID] = [:]

  /// An original line and its dependencies.
  private struct Original {
    var id: FullEventID
    var before: UInt32
    var seen: [FullEventID]
    var tree: JSONObject
  }

  /// - Parameter lines: the lines of a journal without cycles, without LF.
  init(_ lines: [[UInt8]], _ speller: inout Respeller) throws {
    let originals = try lines.map(Self.read)
    var newChains: [FullEventID: UInt32] = [:]
    var spelled: [FullEventID: [UInt8]] = [:]
    let originalIDs = Set(originals.map(\.id))
    func isReady(_ id: FullEventID) -> Bool { !originalIDs.contains(id) || newChains[id] != nil }
    while spelled.count < originalIDs.count {
      let count = spelled.count
      for original in originals where spelled[original.id] == nil {
        let previous = FullEventID(
          device: original.id.device, sequence: original.id.sequence - 1, chain: original.before)
        guard isReady(previous), original.seen.allSatisfy(isReady) else { continue }
        var tree = original.tree
        if tree["seen"] != nil {
          let seen = original.seen.map { Self.renamed($0, newChains) }.sorted()
          tree["seen"] = .array(seen.map { .string($0.description) })
        }
        let covered = speller.covered(tree)
        let checksum = LineChecksum.of(
          covered: covered, after: newChains[previous] ?? original.before)
        spelled[original.id] = sealed(covered, after: checksum.before)
        newChains[original.id] = checksum.chain
        oldIDs[Self.renamed(original.id, newChains)] = original.id
      }
      try #require(spelled.count > count, "a circle")
    }
    self.lines = originals.map { spelled[$0.id]! }
  }

  private static func renamed(
    _ id: FullEventID, _ chains: [FullEventID: UInt32]
  ) -> FullEventID {
    FullEventID(device: id.device, sequence: id.sequence, chain: chains[id] ?? id.chain)
  }

  private static func read(_ line: [UInt8]) throws -> Original {
    let event = try #require(readGenerally(line).event)
    let checksum = try #require(LineChecksum(text: event.checksum.utf8))
    return Original(
      id: event.fullID, before: checksum.before, seen: event.seen,
      tree: try Respeller.tree(of: line))
  }

  /// Returns a state of these lines, with the original IDs.
  func withOldIDs(_ state: [UInt8]) -> String {
    var text = String(decoding: state, as: UTF8.self)
    for (new, old) in oldIDs where new != old {
      text = text.replacing(new.description, with: old.description)
    }
    return text
  }

  /// Returns a state with its lists of events sorted by ID.
  static func sorted(_ state: some Sequence<UInt8>) -> String {
    // A value in the state can be nested deeper than the parser accepts.
    sorted(JSONValue(canonical: Array(state)[...])).text
  }

  private static func sorted(_ state: JSONValue) -> JSONValue {
    guard case .object(let object) = state else {
      guard case .array(let values) = state else { return state }
      return .array(values.map(sorted))
    }
    let members = object.members.map { member in
      var value = sorted(member.value)
      if case .array(let values) = value, ["candidates", "frontier"].contains(member.name) {
        value = .array(values.sorted { $0.text < $1.text })
      }
      return JSONObject.Member(name: member.name, value: value)
    }
    return .object(JSONObject(members))
  }
}
