/// A change to a released declaration that makes two versions of an app misread each other.
///
/// Devices sync across versions, and journals keep what every version wrote. New fields and kinds
/// are no such change: older versions keep what they don't know.
public struct SchemaChange: Sendable, Hashable {
  /// The kinds of changes.
  public enum Kind: String, Sendable, Hashable {
    /// A kind is no longer declared, or a record has become a singleton, or the reverse.
    case kind
    /// A field is no longer declared.
    case removedField
    /// A name has another meaning: another mechanism, or a field of days instead of the record.
    case meaning
    /// The rule of a field allows more values, or an enum has new cases.
    case loosened
    /// The rule of a field allows fewer values, or an enum has fewer cases.
    case narrowed
    /// The rule of a field allows other values.
    case rule
    /// An event type is gone or has other effects, or a new one writes fields that older versions
    /// know.
    case eventType
  }

  /// The kind of change.
  public let kind: Kind
  /// The kind of a collection, the name of a field after it, as in `plant.light`, or an event type.
  public let subject: String
  /// The change, as a sentence.
  public let change: String
  /// The consequences for devices with either version, as sentences.
  public let effect: String
  /// The recommended change, as a sentence.
  public let advice: String
}

extension SchemaChange: CustomStringConvertible {
  /// All sentences, after the subject.
  public var description: String { "\(subject): \(change) \(effect) \(advice)" }
}
