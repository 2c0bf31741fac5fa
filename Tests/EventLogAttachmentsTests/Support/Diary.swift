import EventLog
import EventLogAttachments
import EventLogTesting

/// Swift Testing has a type of this name, too.
typealias Attachment = EventLogAttachments.Attachment

/// A record with attachments.
struct Entry: Record {
  var title = ""
  var photo: Attachment?
  var files: [Attachment] = []

  static let schema = Schema<Entry>(
    "entry",
    [
      .register("title", \.title), .register("photo", \.photo), .register("files", \.files),
    ])
}

/// Random bytes that are no image.
func noise(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
  var random = SeededRandom(seed)
  return [0] + random.bytes(max(0, count - 1))
}
