/// The declaration of a field, and of how concurrent writes to it merge.
public struct FieldSchema: Sendable, Hashable {
  /// The name of the field in events and snapshots: 1–64 of the characters `A–Z a–z 0–9 . _ -`.
  public var name: String
  /// The rule by which concurrent writes of the field merge.
  public var mechanism: Mechanism
  /// A short description that `eventlog types` prints.
  public var note: String
  /// The rule for the members of a set that users enter; `text` if there is none.
  ///
  /// An event may contain other members.
  public var memberRule: ValueRule
  /// The texts for the cases of an enum, or empty if users can enter any text.
  ///
  /// An event may contain others, written by a later version.
  public var cases: [String]
  /// A Boolean value that indicates whether a write applies from a day on.
  ///
  /// Earlier days keep the value that applied to them, such as a goal that was raised later. Only a
  /// register of an entity or a singleton can be dated.
  public var isDated: Bool
  /// The earlier names of the register, the latest first.
  public var supersedes: [SupersededField]

  /// The rules by which concurrent writes of a field merge.
  public enum Mechanism: Sendable, Hashable {
    /// A single value.
    ///
    /// Concurrent writes of different values are a conflict.
    case register(ValueRule)
    /// A total to which every increment is added once.
    ///
    /// Setting the total replaces the increments that the writer had seen.
    case counter
    /// A set of strings.
    ///
    /// Additions win: a member stays in the set if it is concurrently added and removed.
    case members

    /// A Boolean value that indicates whether the field is a register.
    public var isRegister: Bool { if case .register = self { true } else { false } }
  }

  /// Creates a field.
  ///
  /// Nothing is checked until you add the collection to a ``SchemaCatalog``.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - mechanism: The rule by which concurrent writes merge.
  ///   - note: A short description that `eventlog types` prints.
  ///   - memberRule: The rule for the members of a set that users enter.
  ///   - cases: The texts of an enum.
  ///   - isDated: Whether a write applies from a day on.
  ///   - supersedes: The earlier names of the register, the latest first.
  public init(
    _ name: String, _ mechanism: Mechanism, note: String = "", memberRule: ValueRule = .text,
    cases: [String] = [], isDated: Bool = false, supersedes: [SupersededField] = []
  ) {
    self.name = name
    self.mechanism = mechanism
    self.note = note
    self.memberRule = memberRule
    self.cases = cases
    self.isDated = isDated
    self.supersedes = supersedes
  }
}
