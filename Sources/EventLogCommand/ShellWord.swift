/// Words of a command line that somebody may copy.
enum ShellWord {
  /// The word as a shell takes it unchanged.
  static func quoted(_ word: String) -> String {
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "@", ",", "+", "=": true
      case "#": true
      default: false
      }
    }
    if word.unicodeScalars.allSatisfy(isPlain), !word.isEmpty, !word.hasPrefix("#") { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
