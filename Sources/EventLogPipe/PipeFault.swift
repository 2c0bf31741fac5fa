import EventLog

/// The reason why an exchange over a pipe can't continue.
enum PipeFault: Error, Sendable, Hashable {
  /// The task was canceled, or this side closed the channel.
  case canceled
  /// The other side closed the channel.
  case ended
  /// The other side sent or accepted nothing for this time.
  case silent(milliseconds: Int64)
  /// The other side sent nothing useful for this time.
  case useless(milliseconds: Int64)
  /// The other side didn't finish a message or an answer in this time.
  case endless(milliseconds: Int64)
  /// The channel failed.
  case broken(Errno)
  /// A message exceeded the maximum length.
  case messageTooLong
  /// The beginning of bytes that aren't a message of the protocol.
  case garbage([UInt8])
  /// A message isn't allowed at this point.
  case unexpected(String)
  /// The other side sent more of something than allowed.
  case tooMany(String)
  /// The other side uses a later version of the protocol.
  case laterVersion(Int64)
  /// The other side reported an error.
  case complaint(PipeComplaint)

  /// The predicate of the error sentence.
  var clause: String {
    switch self {
    case .canceled: "was canceled"
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

  /// Returns the first sentences of the other side, each like ``quoted(_:_:)``.
  static func quoted(_ sentences: [String]) -> [String] {
    sentences.prefix(PipeLimits.noticeCountMax).map {
      quoted(Array($0.utf8), PipeLimits.wordCountMax)
    }
  }

  /// Returns the first characters of a text from the other side, without control characters.
  static func quoted(_ bytes: [UInt8], _ countMax: Int = 120) -> String {
    let text = String(decoding: bytes.prefix(countMax * 4), as: UTF8.self)
    var words = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == countMax { return words + "…" }
      switch scalar.properties.generalCategory {
      // These include characters that change the writing direction, or end lines.
      case .control where scalar == "\n" || scalar == "\t": words += " "
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
        words += "\u{FFFD}"
      default: words.unicodeScalars.append(scalar)
      }
    }
    return words
  }
}
