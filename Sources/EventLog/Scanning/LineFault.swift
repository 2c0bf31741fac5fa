/// The reason why the bytes of a line are not an event.
///
/// A fault is about the bytes of a single line. Problems between lines, such as a gap or a fork,
/// are found later.
public struct LineFault: Error, Sendable, Hashable {
  /// The kind of fault.
  public var code: Code
  /// The offset of the fault from the start of the line, in bytes.
  public var byte: Int
  /// The member that the fault is about, or `nil` if it isn't about a single member.
  public var member: String?

  init(_ code: Code, at byte: Int, member: String? = nil) {
    self.code = code
    self.byte = byte
    self.member = member
  }

  /// The position of the fault in a text of several lines, as in an editor: "line 2, column 7".
  package func position(in text: [UInt8]) -> (line: Int, name: String) {
    let before = text.prefix(byte)
    let line = 1 + before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // UTF-8 continuation bytes don't count as columns.
    let column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
    return (line, "line \(line), column \(column)")
  }

  /// A clause that completes a sentence with "the line".
  package var clause: String {
    // Clauses about `crc` don't need its name.
    guard let member, member != "crc" else { return code.clause }
    return "\(code.clause) (\"\(member)\")"
  }

  /// The kinds of faults.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The line is longer than 1,048,576 bytes without its line feed.
    case lineTooLong
    /// The line isn't valid UTF-8: `"\xff"`, an overlong form, or an encoded surrogate.
    case invalidUTF8
    /// The line begins with a byte-order mark (EF BB BF).
    case byteOrderMark
    /// The line contains a raw byte below 0x20 that isn't JSON white space, or any such byte in a
    /// string.
    case controlCharacter
    /// The line contains half of a surrogate pair: `"\ud800"`.
    case loneSurrogate
    /// The line isn't JSON: `{"id":}`.
    case malformed
    /// The line ends before its JSON is complete: `{"id":"a:1"`.
    case truncated
    /// The line is nested deeper than 64 levels.
    case tooDeep
    /// An object contains a name twice, compared after unescaping: `{"a":1,"\u0061":2}`.
    case duplicateMember
    /// The line is JSON, but not an object: `[1]`.
    case notAnObject
    /// The line has no `id`, `at`, `type`, or `data`.
    case missingMember
    /// The line doesn't end with `,"crc":"`, 16 hexadecimal digits, and `"}`.
    case missingChecksum
    /// The checksum doesn't match the bytes, so they were changed after they were written.
    case checksumMismatch
    /// The `id` isn't `<device>:<sequence>`.
    case invalidID
    /// The `at` isn't a real time in exactly the form `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    case invalidTime
    /// The `type` isn't 3–64 of the characters `a–z 0–9 . _ -` with a dot between the first and
    /// last.
    case invalidType
    /// The `entity` isn't `<kind>/<key>`.
    case invalidEntity
    /// The `seen` isn't a sorted array of full event IDs.
    case invalidSeen
    /// The `ref` isn't a string of 1–128 characters.
    case invalidRef
    /// The `more` isn't `true`.
    case invalidMore
    /// The `data` isn't an object.
    case invalidData
    /// The `salt` isn't a string of 12 of the characters `a–z 2–7`.
    case invalidSalt
    /// The `erased` isn't a string, or is beside a `salt`.
    case invalidErased
    /// The event is a device's first, but its checksum refers to an event before it.
    case invalidChain
    /// The `v` isn't a whole number of at least 1.
    case invalidVersion

    /// A clause that completes a sentence with "the line".
    public var clause: String {
      switch self {
      case .lineTooLong: "is longer than \(LineLimits.lineBytesMax) bytes"
      case .invalidUTF8: "is not valid UTF-8"
      case .byteOrderMark: "begins with a byte-order mark"
      case .controlCharacter: "contains a raw control character"
      case .loneSurrogate: "contains half of a surrogate pair"
      case .malformed: "is not JSON"
      case .truncated: "ends before its JSON is complete"
      case .tooDeep: "is nested deeper than \(LineLimits.depthMax) levels"
      case .duplicateMember: "contains a member twice in one object"
      case .notAnObject: "is JSON but not an object"
      case .missingMember: "is missing a member that every event has"
      case .missingChecksum: "does not end with its checksum"
      case .checksumMismatch: "does not match its checksum: its bytes were changed"
      case .invalidID: "has an id that is not <device>:<sequence>"
      case .invalidTime: "has a time that is not a valid YYYY-MM-DDTHH:MM:SS.mmmZ"
      case .invalidType: "has a type that is not <kind>.<verb>"
      case .invalidEntity: "has an entity that is not <kind>/<key>"
      case .invalidSeen: "has a seen that is not a sorted array of full event IDs"
      case .invalidRef: "has a ref that is not text of 1 to 128 characters"
      case .invalidMore: "has a more that is not true"
      case .invalidChain: "is a first event, but refers to one before it"
      case .invalidData: "has data that is not an object"
      case .invalidSalt: "has a salt that is not 12 characters of a-z 2-7"
      case .invalidErased: "has an erased that is not text, or is beside a salt"
      case .invalidVersion: "has a version that is not a positive whole number"
      }
    }
  }
}
