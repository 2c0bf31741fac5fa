/// Splits inputs into parts.
enum Sections {
  /// Returns the parts before and after a line `--`, or an empty second part if there is none.
  static func parts(of input: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
    let mark = Array("--\n".utf8)
    var start = 0
    while start < input.count {
      if input[start...].starts(with: mark) {
        return (Array(input[..<start]), Array(input[(start + mark.count)...]))
      }
      guard let end = input[start...].firstIndex(of: 0x0A) else { break }
      start = end + 1
    }
    return (input, [])
  }

  /// Returns the nonempty lines of an input without their LF.
  static func lines(of input: some Collection<UInt8>) -> [[UInt8]] {
    input.split(separator: 0x0A).map { Array($0) }
  }

  /// Returns the contents of a file with these lines.
  static func text(of lines: some Sequence<[UInt8]>) -> [UInt8] {
    lines.flatMap { $0 + [0x0A] }
  }
}
