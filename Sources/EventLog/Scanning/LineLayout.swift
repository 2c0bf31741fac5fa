/// The offsets of the members of one event within its canonical bytes.
///
/// It is reused from line to line, so that reading a journal allocates nothing per event.
package struct LineLayout: Sendable {
  /// Everything but the lists: trivial to copy.
  package struct Envelope: Sendable {
    package var device = ByteRange.none
    package var sequence: Int64 = 0
    /// The 24 characters of `at`.
    package var at = ByteRange.none
    /// `at` in milliseconds since 1970, for comparisons.
    package var atMilliseconds: Int64 = 0
    package var type = ByteRange.none
    /// Empty if the event has no entity.
    package var entity = ByteRange.none
    /// The content of `ref` without its quotes, still escaped; empty if absent.
    package var ref = ByteRange.none
    /// Whether the next event of the history is in the same batch.
    package var hasMore = false
    /// 1, or the later version of the format in which the line was written, or 0 if the whole event
    /// was erased.
    ///
    /// Unless it is 1, only the ID, `seen`, `more` and the checksums have a meaning here.
    package var version: Int64 = 1
    /// Whether the line has a member `erased`: the event was erased, in whole or in part.
    package var isErased = false
    /// `data`, including its braces.
    package var data = ByteRange.none
    package var checksum = LineChecksum(before: 0, chain: 0)
    package var names = Names()

    package init() {}
  }

  /// The numbers of the envelope's names if the reading assigns them, otherwise −1.
  package struct Names: Sendable {
    /// Identifies the reading, or 0 if it assigns no numbers.
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

  /// The number of ``members``.
  ///
  /// It and ``member(_:)`` are for other modules, where the unspecialized list is several times
  /// slower.
  package var memberCount: Int { members.count }

  package func member(_ index: Int) -> MemberLayout { members[index] }

  /// Empties the lists, but keeps their memory.
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
  /// The number of the device's name if the reading assigns one, otherwise −1.
  package var name: Int32 = -1
}

/// One member of `data`.
package struct MemberLayout: Sendable, Hashable {
  /// The name without its quotes, in canonical spelling: equal names have equal bytes.
  package var name: ByteRange
  /// The value as spelled, including the quotes of a string.
  package var value: ByteRange
  package var kind: ValueKind
  /// The number of the name if the reading assigns one, otherwise −1.
  package var number: Int32 = -1

  /// The content of a string, without its quotes and still escaped.
  package var content: ByteRange { ByteRange(value.start + 1, value.end - 1) }
}

/// The JSON type of a value.
package enum ValueKind: UInt8, Sendable, Hashable {
  case null, `false`, `true`
  /// A number without fraction and exponent.
  case integer
  /// A number with a fraction or an exponent.
  case decimal
  case string, array, object
}
