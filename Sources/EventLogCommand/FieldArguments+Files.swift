import EventLog
import EventLogAttachments

extension ValueRule {
  /// Whether a typed value can be the path of a file to attach.
  var takesFile: Bool { self == .attachment || self == .list(of: .attachment) }
}

/// The files to attach that the arguments of an event name as `FIELD=@PATH`.
struct FileArguments {
  /// The members of the event's data with the paths.
  let members: [String]
  let options: AttachmentOptions

  /// Stores the files beside the journal, and replaces the paths by attachments.
  ///
  /// - Throws: `invalidInput` for what can't be attached; `inputOutput`.
  func attach(
    to draft: inout EventDraft, in folder: AttachmentFolder
  ) throws(EventLogError) {
    for member in members {
      switch draft.data[member] {
      case .string(let text)?: draft.data[member] = try attachment(text, in: folder)
      case .array(let values)?:
        var attachments: [JSONValue] = []
        for case .string(let text) in values {
          attachments.append(try attachment(text, in: folder))
        }
        draft.data[member] = .array(attachments)
      default: break
      }
    }
  }

  private func attachment(
    _ text: String, in folder: AttachmentFolder
  ) throws(EventLogError) -> JSONValue {
    guard text.hasPrefix("@"), text.utf8.count > 1 else {
      throw .usage("\"\(Visible.text(text))\" is not a file: write @PATH.", "append")
    }
    return try folder.store(fileAt: String(text.dropFirst()), options: options).json
  }
}
