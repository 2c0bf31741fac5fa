import EventLog

/// Why an exchange over a pipe cannot go on.
enum PipeFault: Error, Sendable, Hashable {
  /// The task was cancelled, or the channel closed from this side.
  case cancelled
  /// The other side is gone.
  case ended
  /// The other side said nothing, or took nothing, for that long.
  case silent(milliseconds: Int64)
  /// What the other side said for that long was of no use.
  case useless(milliseconds: Int64)
  /// The other side did not finish one message or answer in that time.
  case endless(milliseconds: Int64)
  /// The channel failed.
  case broken(Errno)
  /// A message that is longer than any may be.
  case messageTooLong
  /// Something else than a message of the protocol; its beginning.
  case garbage([UInt8])
  /// A message that makes no sense at this point.
  case unexpected(String)
  /// More of something than it may be.
  case tooMany(String)
  /// The other side speaks a later version of the protocol.
  case laterVersion(Int64)
  /// The other side gives up, in its own words.
  case complaint(PipeComplaint)

  /// What the other side did, to complete a sentence that begins with who it is.
  var clause: String {
    switch self {
    case .cancelled: "was cancelled"
    case .ended: "closed the connection before the exchange was complete"
    case .silent(let time): "sent nothing for \(Self.seconds(time))"
    case .useless(let time): "sent nothing useful for \(Self.seconds(time))"
    case .endless(let time): "did not finish a message within \(Self.seconds(time))"
    case .broken(let error): "lost the connection: \(error)"
    case .messageTooLong: "sent a message longer than the protocol allows"
    case .garbage(let bytes):
      "sent something that is not the eventlog protocol: \"\(Self.quoted(bytes))\""
    case .unexpected(let name): "sent an unexpected \"\(Self.quoted(Array(name.utf8)))\""
    case .tooMany(let what): "sent more \(what) than allowed"
    case .laterVersion(let version):
      "uses version \(version) of the protocol, but this side uses \(PipeMessage.version)"
    case .complaint(let complaint):
      "reports: \(Self.quoted(Array(complaint.message.utf8), PipeLimits.wordCountMax))"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
  }

  /// Sentences of the other side: not many, and each as ``quoted(_:_:)`` makes it.
  static func quoted(_ sentences: [String]) -> [String] {
    sentences.prefix(PipeLimits.noticeCountMax).map {
      quoted(Array($0.utf8), PipeLimits.wordCountMax)
    }
  }

  /// Words of the other side: no control characters, and not many.
  static func quoted(_ bytes: [UInt8], _ countMax: Int = 120) -> String {
    let text = String(decoding: bytes.prefix(countMax * 4), as: UTF8.self)
    var words = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == countMax { return words + "…" }
      switch scalar.properties.generalCategory {
      // Also what turns the direction of writing around, and ends lines.
      case .control where scalar == "\n" || scalar == "\t": words += " "
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
        words += "\u{FFFD}"
      default: words.unicodeScalars.append(scalar)
      }
    }
    return words
  }
}
