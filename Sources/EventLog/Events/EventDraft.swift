/// An event before it has a place in a journal: what happened, without who and which.
public struct EventDraft: Sendable, Hashable {
  /// When it happened; nil: when it is appended.
  public var at: Timestamp?
  /// `<kind>.<past-tense verb>`.
  public var type: String
  /// What it is about; nil for singletons.
  public var entity: EntityID?
  /// What happened, in the members that the event's type takes.
  public var data: JSONObject
  /// 1–128 characters of the caller's choice: an append whose `ref` the journal already holds is
  /// skipped, so that an import can be run again.
  public var ref: String?

  /// Drafts an event; nothing is checked before it is appended.
  public init(
    at: Timestamp? = nil, type: String, entity: EntityID? = nil, data: JSONObject = JSONObject(),
    ref: String? = nil
  ) {
    self.at = at
    self.type = type
    self.entity = entity
    self.data = data
    self.ref = ref
  }

  /// Whether `type` keeps the format's rule for types.
  package static func isValid(type: String) -> Bool {
    let bytes = Array(type.utf8)
    return (3...64).contains(bytes.count) && bytes.allSatisfy(CharacterClass.type.contains)
      && bytes.contains(UInt8(ascii: ".")) && bytes.first != UInt8(ascii: ".")
      && bytes.last != UInt8(ascii: ".")
  }

  package static func isValid(ref: String) -> Bool {
    (1...128).contains(ref.unicodeScalars.count)
  }
}
