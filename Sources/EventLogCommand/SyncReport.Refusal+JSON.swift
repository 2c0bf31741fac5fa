import EventLog

extension SyncReport.Refusal {
  var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "code", value: .string(code.text)),
      .init(name: "message", value: .string(message)),
    ]
    if let device { members.append(.init(name: "device", value: .string(device.text))) }
    if let sequence {
      members.append(.init(name: "sequence", value: .number(JSONNumber(sequence))))
    }
    return .sorted(members)
  }
}
