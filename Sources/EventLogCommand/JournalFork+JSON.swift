import EventLog

extension JournalFork {
  var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(device.text)),
      .init(name: "after", value: after.map { .string($0.description) } ?? .null),
      .init(name: "tips", value: .array(tips.map(\.json))),
    ])
  }
}
