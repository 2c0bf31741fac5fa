import EventLog
import EventLogAttachments
import EventLogInspection

/// The part of `eventlog status --where` about the attachments that an entity or an event names.
struct AttachmentCoverage {
  /// A number of attachments, and of their bytes.
  struct Count {
    var attachments = 0
    var bytes: Int64 = 0

    init(_ attachments: [Attachment]) {
      self.attachments = attachments.count
      // The sizes are as stated by the devices that attached the files.
      bytes = attachments.reduce(0) { sum, attachment in
        let (bytes, isTooLarge) = sum.addingReportingOverflow(attachment.bytes)
        return isTooLarge ? .max : bytes
      }
    }

    var text: String { "\(plural(attachments, "attachment")), \(bytes) bytes" }

    var members: [JSONObject.Member] {
      [.init(name: "count", value: .count(attachments)), .init(name: "bytes", value: bytes.json)]
    }
  }

  let all: Count
  let here: Count
  /// The attachments that are neither here nor known to be at a place.
  let nowhere: Count
  /// The attachments of each place at the last transfer; nil if there was none.
  let places: [(address: String, count: Count?)]

  /// Nil if nothing is named.
  ///
  /// - Parameter subject: The event or entity of `result`, as the user has named it.
  init?(
    of subject: String, _ result: ReplicationCoverage, _ path: String, _ arguments: Arguments,
    _ console: Console
  ) throws {
    let folder = AttachmentFolder(beside: path)
    guard folder.mayBeNamed(in: path) else { return nil }
    let state = try Verb.state(of: path, arguments, console, "status")
    let event = EventID(subject)
    let named = state.attachmentUses.filter { use in
      event.map { use.isWritten(by: $0) }
        ?? (use.entity.hasBytes(of: result.name)
          || use.entity.utf8.starts(with: "\(result.name)@".utf8))
    }.contents
    if named.isEmpty { return nil }
    let side = SideFolder(beside: path, fileSystem: SystemFileSystem())
    let contents = result.remotes.map { coverage in
      (coverage.remote.address, PlaceContents(of: coverage.remote.address, in: side))
    }
    all = Count(named)
    here = Count(named.filter(folder.contains))
    nowhere = Count(
      named.filter { attachment in
        !folder.contains(attachment)
          && !contents.contains { $0.1?.contains(attachment) ?? false }
      })
    places = contents.map { address, contents in
      (address, contents.map { contents in Count(named.filter(contents.contains)) })
    }
  }

  func print(_ path: String, _ console: Console) throws {
    try console.print(all.text)
    var table = Table()
    table.add([Visible.text(path), "has \(here.text)"])
    for (address, count) in places {
      table.add([
        Visible.text(address),
        count.map { "had \($0.text) at the last transfer from here" }
          ?? "isn't known to have any: no transfer from here was noted",
      ])
    }
    if nowhere.attachments > 0 { table.add(["nowhere", nowhere.text]) }
    for line in table.lines(console) { try console.print(line) }
  }

  var json: JSONValue {
    let places = places.map { address, count in
      JSONValue.sorted(
        [.init(name: "address", value: .string(address))]
          + Count([]).members.map { member in
            count?.members.first { $0.name == member.name }
              ?? .init(name: member.name, value: .null)
          })
    }
    return .sorted(
      all.members + [
        .init(name: "here", value: .sorted(here.members)),
        .init(name: "nowhere", value: .sorted(nowhere.members)),
        .init(name: "places", value: .array(places)),
      ])
  }
}
