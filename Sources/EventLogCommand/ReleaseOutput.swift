import EventLog
import EventLogAttachments

/// Prints the result of `eventlog attachments --release`.
struct ReleaseOutput {
  let report: ReleaseReport
  let isPlan: Bool
  let console: Console
  /// The user's names for the remotes, by their addresses.
  let names: [String: String]

  var isSuccess: Bool { report.problems.isEmpty && report.places.allSatisfy { $0.error == nil } }

  func print() throws {
    printErrors()
    if console.isJSON { return try console.print(json.text) }
    let verb = isPlan ? "would be " : ""
    if !report.released.isEmpty {
      try console.print(
        "\(plural(report.released.count, "attachment")) \(verb)released: nothing names"
          + " \(report.released.count == 1 ? "it" : "them") any more.")
    }
    if !report.removed.isEmpty {
      try console.print(
        "\(plural(report.removed.count, "file")) \(verb)removed here,"
          + " \(report.removedBytes) bytes.")
    }
    for place in report.places where !place.removed.isEmpty {
      try console.print(
        "\(plural(place.removed.count, "attachment")) \(verb)removed at \(name(place)).")
    }
    if !report.recent.isEmpty {
      console.note(
        "Note: \(plural(report.recent.count, "file")) of the last day"
          + " \(report.recent.count == 1 ? "stays" : "stay") here for now.")
    }
    if !report.waiting.isEmpty {
      let devices = Set(report.waiting.values.joined()).sorted()
      console.note(
        "Note: \(plural(report.waiting.count, "released attachment"))"
          + " \(report.waiting.count == 1 ? "stays" : "stay") until these devices have synced and"
          + " written something: \(devices.firstFew)")
    }
    if isEmpty { try console.print("There is nothing to remove.") }
  }

  private var isEmpty: Bool {
    report.released.isEmpty && report.removed.isEmpty && report.waiting.isEmpty
      && report.recent.isEmpty && report.places.allSatisfy { $0.removed.isEmpty }
      && isSuccess
  }

  private func name(_ place: ReleaseReport.Place) -> String {
    Visible.text(names[place.remote] ?? place.remote)
  }

  private func printErrors() {
    for error in report.problems + report.places.compactMap(\.error) {
      console.note("Could not remove all attachments: \(error.message)")
      if let hint = error.hint { console.note("Hint: \(hint)") }
    }
  }

  private var json: JSONValue {
    func hashes(_ hashes: [String]) -> JSONValue { .array(hashes.map { .string($0) }) }
    let places = report.places.map { place -> JSONValue in
      var members: [JSONObject.Member] = [
        .init(name: "remote", value: .string(place.remote)),
        .init(name: "removed", value: hashes(place.removed)),
      ]
      if let error = place.error { members.append(.init(name: "error", value: error.codeJSON)) }
      return .sorted(members)
    }
    let waiting = report.waiting.map {
      JSONObject.Member(name: $0.key, value: hashes($0.value))
    }
    var members: [JSONObject.Member] = [
      .init(name: "released", value: hashes(report.released)),
      .init(name: "removed", value: hashes(report.removed)),
      .init(name: "recent", value: hashes(report.recent)),
      .init(name: "places", value: .array(places)),
      .init(name: "waiting", value: .sorted(waiting)),
    ]
    if !report.problems.isEmpty {
      members.append(.init(name: "errors", value: .array(report.problems.map(\.codeJSON))))
    }
    if isPlan { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }
}
