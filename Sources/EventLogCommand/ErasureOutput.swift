import EventLog
import EventLogErasure

/// Prints what was erased, or would be.
struct ErasureOutput {
  let report: ErasureReport
  let isPlan: Bool
  let console: Console

  private static let shownMax = 10

  func print() throws {
    if console.isJSON { return try printJSON() }
    if let entity = report.deleted {
      try console.print("\(entity) \(isPlan ? "would be" : "was") deleted.")
    }
    if report.eventCount > 0, !report.restated.isEmpty {
      let verb = isPlan ? "would be" : report.restated.count == 1 ? "was" : "were"
      try console.print(
        "\(report.restated.firstFew) \(verb) written again first, with the same value.")
    }
    guard report.eventCount > 0 else {
      return try console.print("There is nothing to erase.")
    }
    let verb = isPlan ? "would be" : report.eventCount == 1 ? "was" : "were"
    try console.print("\(plural(Int(report.eventCount), "event")) \(verb) erased:")
    let lines = report.events.map(\.description) + report.parts.map { "\($0), in part" }
    for line in lines.prefix(Self.shownMax) { try console.print("  \(line)") }
    if lines.count > Self.shownMax {
      try console.print("  … and \(lines.count - Self.shownMax) more; --json prints all")
    }
    if !report.unheardDevices.isEmpty {
      let devices = report.unheardDevices.map(\.text)
      console.note(
        "Note: \(devices.firstFew) may still have the contents, until they sync.")
    }
    if !report.attachments.isEmpty {
      console.note(
        "Note: attached files that nothing else names are released; attachments --release removes"
          + " them: \(report.attachments.joined(separator: ", "))")
    }
    if !isPlan {
      console.note("Note: the next sync with each place replaces what it stores.")
    }
  }

  private func printJSON() throws {
    var object: JSONObject = [
      "attachments": .array(report.attachments.map { .string($0) }),
      "events": .array(report.events.map(\.json)),
      "parts": .array(report.parts.map { .string($0.description) }),
      "restated": .array(report.restated.map { .string($0) }),
      "unheardDevices": .array(report.unheardDevices.map { .string($0.text) }),
    ]
    if let entity = report.deleted { object["deleted"] = .string(entity.description) }
    if isPlan { object["plan"] = .bool(true) }
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    try console.print(String(decoding: bytes, as: UTF8.self))
  }
}
