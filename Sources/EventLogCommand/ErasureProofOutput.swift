import EventLog
import EventLogErasure

/// Prints which files still contain something that is erased.
struct ErasureProofOutput {
  let proof: ErasureProof
  /// Whether texts were looked for.
  let hasTexts: Bool
  let console: Console

  func print() throws {
    if console.isJSON { return try printJSON() }
    for remainder in proof.remainders {
      let what =
        remainder.event.map { "contains \($0)" } ?? remainder.text.map { "contains text \($0)" }
        ?? "is from before an erasure"
      try console.print("\(remainder.file) \(what)")
    }
    let events = plural(proof.erasedCount, "erased event")
    let files = plural(proof.fileCount, "file")
    let isTextAlone = proof.remainders.allSatisfy { $0.text != nil }
    try console.print(
      proof.remainders.isEmpty
        ? "None of \(files) contains anything of \(events)\(hasTexts ? ", or a text" : "")."
        : isTextAlone
          ? "None of \(files) contains anything of \(events), but other lines have a text."
          : "Something of \(events) is left: sync with the place, or append, to remove it.")
    console.note(
      "Note: not searched: devices that have not synced, backups, and old versions that a place"
        + " keeps.")
  }

  private func printJSON() throws {
    let remainders = proof.remainders.map { remainder -> JSONValue in
      [
        "event": remainder.event.map { .string($0.description) } ?? .null,
        "file": .string(remainder.file),
        "text": remainder.text.map { .number(JSONNumber(Int64($0))) } ?? .null,
      ]
    }
    let object: JSONObject = [
      "erasedCount": .number(JSONNumber(Int64(proof.erasedCount))),
      "fileCount": .number(JSONNumber(Int64(proof.fileCount))),
      "remainders": .array(remainders),
    ]
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    try console.print(String(decoding: bytes, as: UTF8.self))
  }
}
