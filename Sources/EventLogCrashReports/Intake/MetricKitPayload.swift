package import EventLog

/// The JSON of MetricKit's `MXDiagnosticPayload.jsonRepresentation()`.
package enum MetricKitPayload {
  private static let sections: [(String, CrashReport.Kind, Severity)] = [
    ("crashDiagnostics", .crash, .fatal), ("hangDiagnostics", .hang, .error),
    ("cpuExceptionDiagnostics", .processor, .error),
    ("diskWriteExceptionDiagnostics", .diskWrites, .error),
  ]

  /// Returns the reports of a payload.
  ///
  /// A diagnostic of an unexpected form becomes a report with the values that could be read.
  ///
  /// - Throws: `invalidInput` with the position if the bytes aren't JSON, or no payload.
  package static func reports(of bytes: [UInt8]) throws(EventLogError) -> [CrashReport] {
    let payload: JSONValue
    do throws(NestedJSON.Fault) { payload = try NestedJSON.value(of: bytes) } catch {
      throw EventLogError(
        .invalidInput,
        "The payload of MetricKit isn't JSON, at byte \(error.byte). No report was taken in.",
        hint: "Pass the bytes of jsonRepresentation().", at: .init(byte: Int64(error.byte)))
    }
    guard case .object(let object) = payload, object["timeStampEnd"] != nil else {
      throw EventLogError(
        invalidInput: "This is no diagnostic payload of MetricKit. No report was taken in.",
        hint: "Pass the bytes of MXDiagnosticPayload.jsonRepresentation().")
    }
    let time = object["timeStampEnd"]?.plainText.flatMap(milliseconds) ?? 0
    var reports: [CrashReport] = []
    for (name, kind, severity) in sections {
      guard case .array(let diagnostics)? = object[name] else { continue }
      for diagnostic in diagnostics {
        guard case .object(let members) = diagnostic else { continue }
        var raw = raw(of: members)
        (raw.kind, raw.severity, raw.time) = (kind, severity, time)
        // A payload may contain several diagnostics that differ only in what is left out.
        raw.identity = Array("\(time) \(reports.count)".utf8)
        reports.append(.scrub(raw, images: []))
      }
    }
    return reports
  }

  private static func raw(of members: JSONObject) -> RawReport {
    var raw = RawReport()
    if case .object(let data)? = members["diagnosticMetaData"] {
      raw.app = data["appVersion"]?.plainText ?? ""
      raw.system = data["osVersion"]?.plainText ?? ""
      raw.device = data["deviceType"]?.plainText ?? ""
      raw.signal = data["signal"]?.integer.flatMap(CrashReport.Signal.init(numberOfApple:))
    }
    if case .object(let tree)? = members["callStackTree"],
      case .array(let stacks)? = tree["callStacks"]
    {
      let objects = stacks.compactMap { if case .object(let stack) = $0 { stack } else { nil } }
      let attributed = objects.first { $0["threadAttributed"] == .bool(true) } ?? objects.first
      raw.frames = frames(attributed?["callStackRootFrames"])
      raw.isMainThread = nil
    }
    return raw
  }

  /// The first root frame, the first of its subframes, and so on.
  private static func frames(_ roots: JSONValue?) -> [RawReport.Frame] {
    var frames: [RawReport.Frame] = []
    var next = roots
    while case .array(let level)? = next, case .object(let frame)? = level.first,
      frames.count <= RawLayout.framesMax
    {
      let offset = frame["offsetIntoBinaryTextSegment"]?.integer ?? -1
      let image = frame["binaryUUID"]?.plainText ?? ""
      frames.append(offset < 0 ? .address(0) : .offset(UInt64(offset), image: image))
      next = frame["subFrames"]
    }
    return frames
  }

  /// The time of a text such as `2026-01-28 09:12:33` or `2026-01-28 09:12:33 +0000`.
  private static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19 else { return nil }
    let day = String(decoding: bytes[0..<10], as: UTF8.self)
    let time = String(decoding: bytes[11..<19], as: UTF8.self)
    return Timestamp("\(day)T\(time)Z")?.milliseconds
  }
}
