import EventLog
import EventLogAttachments

/// The attachments that a command transfers, as `--attachments` says.
enum AttachmentPolicy: Equatable {
  case all
  case none
  case upTo(Int64)

  /// - Throws: `usage` for an invalid `--attachments`.
  init(_ arguments: Arguments, _ verb: String) throws(EventLogError) {
    switch arguments["attachments"] {
    case nil, "all"?: self = .all
    case "none"?: self = .none
    case let text?:
      guard let bytes = Int64(text), bytes >= 0 else {
        throw .usage(
          "--attachments takes all, none, or a number of bytes; \"\(Visible.text(text))\" is none"
            + " of them.", verb)
      }
      self = .upTo(bytes)
    }
  }

  var options: AttachmentOptions {
    switch self {
    case .all: AttachmentOptions()
    case .none: AttachmentOptions(fetching: .onDemand)
    case .upTo(let bytes): AttachmentOptions(fetching: .upTo(bytes: bytes))
    }
  }
}
