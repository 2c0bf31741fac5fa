/// Where the members of one event stand within its canonical bytes.
///
/// Reused from line to line, so that reading a journal allocates nothing per event.
package struct LineLayout: Sendable {
  /// All but the lists: trivial to copy.
  package struct Envelope: Sendable {
    package var device = ByteRange.none
    package var sequence: Int64 = 0
    /// The 24 characters of `at`.
    package var at = ByteRange.none
    /// `at` in milliseconds since 1970, for comparing.
    package var atMilliseconds: Int64 = 0
    package var type = ByteRange.none
    /// Empty where the event names no entity.
    package var entity = ByteRange.none
    /// The content of `ref` without its quotes, still escaped; empty where there is none.
    package var ref = ByteRange.none
    /// Whether the next event of the history belongs with this one.
    package var hasMore = false
    /// 1, or more where a later version of the format wrote the line: then only the ID, `seen`,
    /// `more` and the checksums mean anything here.
    package var version: Int64 = 1
    /// `data` with its braces.
    package var data = ByteRange.none
    package var checksum = LineChecksum(before: 0, chain: 0)
    package var names = Names()

    package init() {}
  }

  /// Numbers of the names in the envelope, where the reading gives such; else −1.
  package struct Names: Sendable {
    /// Which reading it is; 0 where it gives none.
    package var reading: UInt32 = 0
    package var device: Int32 = -1
    package var type: Int32 = -1
    package var entity: Int32 = -1
  }

  package var envelope = Envelope()
  package var seen = LineList<SeenEntry>()
  /// The members of `data`, in the writer's order.
  package var members = LineList<MemberLayout>()

  package init() {}

  /// How many ``members`` there are; like ``member(_:)`` for other modules, in which the code of
  /// the list is not made for its elements, and takes several times as long.
  package var memberCount: Int { members.count }

  package func member(_ index: Int) -> MemberLayout { members[index] }

  /// Empties the lists and keeps their memory.
  @inline(__always)
  mutating func clear() {
    seen.clear()
    members.clear()
  }
}

/// One entry of `seen`: a full event ID.
package struct SeenEntry: Sendable, Hashable {
  package var device: ByteRange
  package var sequence: Int64
  package var chain: UInt32
  /// The number of the device's name, where the reading gives such; else −1.
  package var name: Int32 = -1
}

/// One member of `data`.
package struct MemberLayout: Sendable, Hashable {
  /// The name without its quotes, in canonical escapes: equal names have equal bytes.
  package var name: ByteRange
  /// The value as it is spelled; a string has its quotes.
  package var value: ByteRange
  package var kind: ValueKind
  /// The number of the name, where the reading gives such; else −1.
  package var number: Int32 = -1

  /// What a string holds, without its quotes and still escaped.
  package var content: ByteRange { ByteRange(value.start + 1, value.end - 1) }
}

/// What sort of JSON a value is.
package enum ValueKind: UInt8, Sendable, Hashable {
  case null, `false`, `true`
  /// A number spelled without fraction and exponent.
  case integer
  /// A number spelled with one of them.
  case decimal
  case string, array, object
}
