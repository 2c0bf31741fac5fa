/// A field and how concurrent writes of it merge.
public struct FieldSchema: Sendable, Hashable {
  /// What events and projections call the field: 1–64 of `A–Z a–z 0–9 . _ -`.
  public var name: String
  /// The rule by which concurrent writes of the field come together.
  public var mechanism: Mechanism
  /// A clause for a person, shown by `eventlog types`.
  public var note: String

  /// The rule by which writes of a field come together.
  public enum Mechanism: Sendable, Hashable {
    /// The values that no later write had seen; several different ones are a conflict.
    case register(ValueRule)
    /// Every increment counts once; a set replaces what it had seen.
    case counter
    /// A set of texts: an inclusion that no exclusion had seen keeps its member in.
    case members

    /// Whether the field is a register, whatever its values must be.
    public var isRegister: Bool { if case .register = self { true } else { false } }
  }

  /// Declares a field; nothing is checked before a ``SchemaCatalog`` takes its collection.
  public init(_ name: String, _ mechanism: Mechanism, note: String = "") {
    self.name = name
    self.mechanism = mechanism
    self.note = note
  }
}
