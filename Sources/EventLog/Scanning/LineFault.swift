/// Why the bytes of a line are no event.
///
/// A fault is about one line's own bytes; what is wrong between lines (a gap, a fork) is found when
/// the line is admitted to the journal.
public struct LineFault: Error, Sendable, Hashable {
  /// What is wrong.
  public var code: Code
  /// Where in the line, in bytes from its first.
  public var byte: Int
  /// The member the fault is about, where it is about one.
  public var member: String?

  init(_ code: Code, at byte: Int, member: String? = nil) {
    self.code = code
    self.byte = byte
    self.member = member
  }

  /// A clause that completes "the line …".
  package var clause: String {
    // The clauses about the checksum say so themselves.
    guard let member, member != "crc" else { return code.clause }
    return "\(code.clause) (\"\(member)\")"
  }

  /// The kinds of faults, each with an input that has it.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Over 1,048,576 bytes without its LF.
    case lineTooLong
    /// `"\xff"`: not UTF-8, an overlong form, or an encoded surrogate.
    case invalidUTF8
    /// EF BB BF at the start of the line.
    case byteOrderMark
    /// A raw byte below 0x20 that is not JSON white space, or any such byte in a string; also NUL.
    case controlCharacter
    /// `"\ud800"` without its other half.
    case loneSurrogate
    /// `{"id":}`: not JSON.
    case malformed
    /// `{"id":"a:1"`: JSON so far, but the line ends too early.
    case truncated
    /// Nested deeper than 64.
    case tooDeep
    /// `{"a":1,"\u0061":2}`: one name twice in one object, compared after unescaping.
    case duplicateMember
    /// `[1]`: JSON, but not an object.
    case notAnObject
    /// No `id`, `at`, `type` or `data`.
    case missingMember
    /// The line does not end with `,"crc":"` 16 hex digits `"}`.
    case missingChecksum
    /// The checksum does not fit the bytes: they were changed after they were written.
    case checksumMismatch
    /// An `id` that is not `<device>:<sequence>`.
    case invalidID
    /// An `at` that is not exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`, a real moment.
    case invalidTime
    /// A `type` that is not 1–64 of `a–z 0–9 . _ -` with a dot in it.
    case invalidType
    /// An `entity` that is not `<kind>/<key>`.
    case invalidEntity
    /// A `seen` that is not an array of full event IDs in their order.
    case invalidSeen
    /// A `ref` that is not text of 1–128 characters.
    case invalidRef
    /// A `more` that is not `true`.
    case invalidMore
    /// A `data` that is not an object.
    case invalidData
    /// A first event whose checksum says that another one stands before it.
    case invalidChain
    /// A `v` that is not a whole number from 1.
    case invalidVersion

    /// A clause that completes "the line …".
    public var clause: String {
      switch self {
      case .lineTooLong: "is longer than \(LineLimits.lineBytesMax) bytes"
      case .invalidUTF8: "is not valid UTF-8"
      case .byteOrderMark: "begins with a byte-order mark"
      case .controlCharacter: "holds a raw control character"
      case .loneSurrogate: "holds half of a surrogate pair"
      case .malformed: "is not JSON"
      case .truncated: "ends before its JSON is complete"
      case .tooDeep: "is nested deeper than \(LineLimits.depthMax) levels"
      case .duplicateMember: "names a member twice in one object"
      case .notAnObject: "is JSON but not an object"
      case .missingMember: "lacks a member that every event has"
      case .missingChecksum: "does not end with its checksum"
      case .checksumMismatch: "does not fit its checksum: its bytes were changed"
      case .invalidID: "has an id that is not <device>:<sequence>"
      case .invalidTime: "has a time that is not a real YYYY-MM-DDTHH:MM:SS.mmmZ"
      case .invalidType: "has a type that is not <kind>.<verb>"
      case .invalidEntity: "has an entity that is not <kind>/<key>"
      case .invalidSeen: "has a seen that is not an array of full event IDs in their order"
      case .invalidRef: "has a ref that is not text of 1 to 128 characters"
      case .invalidMore: "has a more that is not true"
      case .invalidChain: "is a first event and says that one stands before it"
      case .invalidData: "has data that is not an object"
      case .invalidVersion: "has a version that is not a whole number from 1"
      }
    }
  }
}
