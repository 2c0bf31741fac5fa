import EventLog

/// Looks for texts in a file that is read piece by piece.
struct TextSearch {
  private var plain: Window
  private var base64: Window
  private var unwrapping = Unwrapping()
  /// The numbers of the texts that were found.
  private(set) var found: Set<Int> = []

  init(_ texts: SearchedTexts) {
    (plain, base64) = (Window(texts.plain), Window(texts.base64))
  }

  mutating func read(_ piece: [UInt8]) {
    plain.read(piece, &found)
    if !base64.isEmpty { base64.read(unwrapping.read(piece), &found) }
  }

  /// The end of what was read, in which a spelling may begin.
  private struct Window {
    private let spellings: [SearchedTexts.Spelling]
    private let keptCount: Int
    private var end: [UInt8] = []

    init(_ spellings: [SearchedTexts.Spelling]) {
      self.spellings = spellings
      keptCount = max(0, (spellings.map(\.bytes.count).max() ?? 0) - 1)
    }

    var isEmpty: Bool { spellings.isEmpty }

    mutating func read(_ piece: [UInt8], _ found: inout Set<Int>) {
      let bytes = end + piece
      for spelling in spellings where !found.contains(spelling.text) {
        if bytes.containsBytes(of: spelling.bytes) { found.insert(spelling.text) }
      }
      end = Array(bytes.suffix(keptCount))
    }
  }

  /// Removes what is between the lines of Base64, also escaped as in JSON, and replaces the letters
  /// of the variant for URLs (RFC 4648, section 5).
  private struct Unwrapping {
    /// Whether the last byte was a backslash, which may begin an escaped end of a line.
    private var isEscape = false

    mutating func read(_ piece: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(piece.count)
      for byte in piece {
        let wasEscape = isEscape
        isEscape = byte == UInt8(ascii: "\\")
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "\\"): break
        case UInt8(ascii: "n") where wasEscape, UInt8(ascii: "r") where wasEscape: break
        case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
        case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
        default: bytes.append(byte)
        }
      }
      return bytes
    }
  }
}
