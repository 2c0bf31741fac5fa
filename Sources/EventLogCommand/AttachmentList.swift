import EventLog
import EventLogAttachments

/// The output of `eventlog attachments`.
struct AttachmentList {
  let uses: [AttachmentUse]
  let folder: AttachmentFolder
  private var damaged: Set<String> = []

  init(uses: [AttachmentUse], folder: AttachmentFolder) {
    (self.uses, self.folder) = (uses, folder)
  }

  enum State: String {
    case here, missing, damaged
  }

  /// Reads all files.
  mutating func check() throws(EventLogError) { damaged = Set(try folder.damaged()) }

  func state(of attachment: Attachment) -> State {
    if damaged.contains(attachment.sha256) { return .damaged }
    return folder.contains(attachment) ? .here : .missing
  }

  /// The missing attachments that don't fit a limit, the newest of which fit first.
  ///
  /// - Throws: `inputOutput`.
  func beyond(_ policy: AttachmentPolicy) throws(EventLogError) -> Set<Attachment> {
    guard case .upTo(let bytesMax) = policy else { return [] }
    var bytes = try folder.contents().reduce(0) { $0 + $1.bytes }
    return Set(
      attachments.filter { attachment in
        guard state(of: attachment) == .missing else { return false }
        if attachment.bytes > bytesMax - bytes { return true }
        bytes += attachment.bytes
        return false
      })
  }

  /// Records that a content was fetched and checked.
  mutating func noteFetched(_ attachment: Attachment) { damaged.remove(attachment.sha256) }

  /// The attachments once each, in the order of their uses.
  var attachments: [Attachment] { uses.contents }

  var isWhole: Bool { attachments.allSatisfy { state(of: $0) == .here } }

  func print(beside path: String, _ console: Console) throws {
    if console.isJSON { return try console.print(json.text) }
    var table = Table(["field", "bytes", "type", "content", "SHA-256", "name"])
    for use in uses {
      let state = state(of: use.attachment).rawValue
      table.add([
        Visible.text("\(use.entity)#\(use.field)"), String(use.attachment.bytes),
        Visible.text(use.attachment.type), use.isShown ? state : "\(state), not shown",
        use.attachment.shortHash, Visible.text(use.attachment.name ?? ""),
      ])
    }
    if !table.isEmpty { for line in table.lines(console, indent: "") { try console.print(line) } }
    try console.print(summary(path))
  }

  private func summary(_ path: String) -> String {
    let all = attachments
    if all.isEmpty { return "\(Visible.text(path)) names no attachments." }
    let here = all.filter { state(of: $0) != .missing }.reduce(0) { $0 + $1.bytes }
    var parts = ["\(plural(all.count, "attachment")), \(here) bytes here"]
    for kind in [State.missing, .damaged] {
      let count = all.count { state(of: $0) == kind }
      if count > 0 { parts.append("\(count) \(kind.rawValue)") }
    }
    return parts.joined(separator: ", ") + "."
  }

  private var json: JSONValue {
    let values = uses.map { use -> JSONValue in
      .sorted([
        .init(name: "entity", value: .string(use.entity)),
        .init(name: "field", value: .string(use.field)),
        .init(name: "sha256", value: .string(use.attachment.sha256)),
        .init(name: "bytes", value: use.attachment.bytes.json),
        .init(name: "type", value: .string(use.attachment.type)),
        .init(name: "name", value: use.attachment.name.json),
        .init(name: "isShown", value: .bool(use.isShown)),
        .init(name: "content", value: .string(state(of: use.attachment).rawValue)),
      ])
    }
    return .sorted([.init(name: "attachments", value: .array(values))])
  }
}
