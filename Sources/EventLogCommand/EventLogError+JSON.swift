import EventLog

extension EventLogError {
  var codeJSON: JSONValue {
    .sorted([
      .init(name: "code", value: .string(code.text)),
      .init(name: "message", value: .string(message)),
    ])
  }
}
