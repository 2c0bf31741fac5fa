import EventLog

extension EventRange {
  var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(device.text)),
      .init(name: "first", value: .number(JSONNumber(first))),
      .init(name: "last", value: .number(JSONNumber(last))),
      .init(name: "chain", value: .string(String(end.description.suffix(8)))),
    ])
  }
}

extension FullEventID {
  var json: JSONValue { .string(description) }
}
