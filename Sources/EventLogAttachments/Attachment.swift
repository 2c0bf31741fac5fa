public import EventLog

/// A file that belongs to a record, such as a photo.
///
/// The event contains only this description. The content is in a file beside the journal, named by
/// its hash. Attachments with the same content share it.
///
/// ```swift
/// struct Meal: Record {
///   var photo: Attachment?
///
///   static let schema = Schema<Meal>("meal", [.register("photo", \.photo)])
/// }
/// ```
public struct Attachment: Sendable, Hashable, JSONConvertible {
  /// The SHA-256 of the content: 64 lowercase hexadecimal digits.
  public let sha256: String
  /// The size of the content in bytes.
  public let bytes: Int64
  /// The media type, such as `image/jpeg`.
  ///
  /// The device that attached the file has stated it. Don't trust it more than a file's name.
  public let type: String
  /// The name of the file, or `nil` if it has none.
  ///
  /// It is a label, and can contain anything: never use it as a path.
  public let name: String?

  init(sha256: String, bytes: Int64, type: String, name: String?) {
    (self.sha256, self.bytes, self.type, self.name) = (sha256, bytes, type, name)
  }

  /// The rule `attachment`.
  public static var valueRule: ValueRule { .attachment }

  /// Creates an attachment from the value of a field, or returns `nil` for any other JSON value.
  public init?(json: JSONValue) {
    guard ValueRule.attachment.accepts(json), case .object(let object) = json,
      case .string(let sha256)? = object["sha256"], case .string(let type)? = object["type"],
      let bytes = object["bytes"].flatMap(Int64.init(json:))
    else { return nil }
    (self.sha256, self.bytes, self.type) = (sha256, bytes, type)
    name = object["name"].flatMap(String.init(json:))
  }

  /// The attachment as the value of a field.
  public var json: JSONValue {
    var object: JSONObject = [
      "sha256": .string(sha256), "bytes": .number(JSONNumber(bytes)), "type": .string(type),
    ]
    if let name { object["name"] = .string(name) }
    return .object(object)
  }
}
