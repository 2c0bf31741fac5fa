// Damaged bytes that no line names and whose loss was acknowledged.

extension SideFolder {
  private var lossesPath: String { Path.join(path, "losses.json") }

  /// The damaged bytes whose loss was acknowledged, by offset and content.
  package var acceptedDamage: Set<FindingLog.AcceptedDamage> {
    guard let bytes = try? fileSystem.contents(ofFile: lossesPath, maximumBytes: 16 << 20),
      case .object(let object)? = try? JSONValue(parsing: bytes),
      case .array(let values)? = object["losses"]
    else { return [] }
    return Set(
      values.compactMap { value in
        guard case .object(let loss) = value, case .number(let byte)? = loss["byte"],
          let offset = byte.integer, case .string(let digits)? = loss["content"],
          let content = ChainDigits.value(digits.utf8)
        else { return nil }
        return .init(offset: offset, content: content)
      })
  }

  /// Saves the acknowledged damage atomically.
  package func accept(_ damage: Set<FindingLog.AcceptedDamage>) throws(EventLogError) {
    let losses = damage.sorted { $0.offset < $1.offset }.map { loss -> JSONValue in
      [
        "byte": .number(JSONNumber(loss.offset)),
        "content": .string(ChainDigits.text(loss.content)),
      ]
    }
    try replace(lossesPath, with: ["losses": .array(losses)])
  }

  /// Replaces a file that isn't part of the cache.
  func replace(_ path: String, with object: JSONObject) throws(EventLogError) {
    try make()
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    do throws(Errno) {
      try fileSystem.replaceFile(at: path, with: bytes + [0x0A])
    } catch {
      throw .inputOutput("write", path, error, meaning: "Its previous content is kept.")
    }
  }
}
