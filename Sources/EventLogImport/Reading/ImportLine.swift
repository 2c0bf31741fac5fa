package import EventLog

/// A line of an import: an event to append, as JSON.
package struct ImportLine: Sendable {
  package let draft: EventDraft
  package let entity: EntityReference?
  /// The text of its time, with the offset.
  package let time: String?

  /// The reason why a line is refused.
  package struct Refusal: Error {
    /// A clause that follows "Line 3 of the input: ".
    package let reason: String
    package let hint: String?

    init(_ reason: String, hint: String? = nil) {
      self.reason = reason
      self.hint = hint
    }
  }

  private static let names = ["type", "entity", "data", "at", "ref"]

  /// Reads a line without its LF.
  package init(parsing line: ArraySlice<UInt8>) throws(Refusal) {
    guard line.count <= LineLimits.lineBytesMax else {
      throw Refusal("it is longer than \(LineLimits.lineBytesMax) bytes")
    }
    let value: JSONValue
    do throws(LineFault) { value = try JSONValue(parsing: line) } catch {
      throw Refusal("it \(error.clause) (byte \(error.byte))")
    }
    guard case .object(let object) = value else { throw Refusal("it is not a JSON object") }
    if object["id"] != nil, object["crc"] != nil {
      throw Refusal(
        "it is a line of a journal, and not an event to append",
        hint: "A sync takes the events of another journal, with their IDs and times.")
    }
    var draft = EventDraft(type: "")
    var entity: EntityReference?
    var time: String?
    for member in object.members {
      switch (member.name, member.value) {
      case ("type", .string(let text)): draft.type = text
      case ("data", .object(let data)): draft.data = data
      case ("ref", .string(let text)): draft.ref = text
      case ("at", .string(let text)):
        guard let at = Timestamp(text) else {
          throw Refusal("\"at\" needs a valid time with seconds and an offset or Z")
        }
        draft.at = at
        time = text
      case ("entity", .string(let text)):
        guard let exact = EntityID(text) else { throw Refusal("\"entity\" must be <kind>/<key>") }
        entity = .exact(exact)
      case ("type", _), ("data", _), ("ref", _), ("at", _), ("entity", _):
        throw Refusal("\"\(member.name)\" must be \(member.name == "data" ? "an object" : "text")")
      default:
        throw Refusal(
          "\"\(member.name)\" is not one of type, entity, data, at, ref",
          hint: Suggestion.nearest(to: member.name, among: Self.names)
            .map { "Did you mean \($0)?" })
      }
    }
    guard object["type"] != nil else { throw Refusal("it is missing \"type\"") }
    self.draft = draft
    self.entity = entity
    self.time = time
  }
}
