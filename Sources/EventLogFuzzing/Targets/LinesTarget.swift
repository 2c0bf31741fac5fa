import EventLog
import EventLogTesting

/// Both paths of the scanner have the same result for any line, and it follows the rules.
enum LinesTarget {
  static func check(_ input: [UInt8]) throws {
    // One scanner for all lines: the state that it keeps must never matter.
    var scanner = LineScanner()
    var read: [ScannedLine] = []
    for line in lines(of: input) {
      let fast = try scanner.read(line)
      let general = try readGenerally(line)
      try Finding.require(fast == general, "Fast: \(fast), generally: \(general).")
      try Finding.require(fast.event?.isLawful ?? true, "Against the rules: \(fast).")
      if let fault = fast.fault {
        try Finding.require((0...line.count).contains(fault.byte), "\(fault) is outside the line.")
      } else {
        try Finding.require(
          (try? JSONValue(parsing: line)) != nil, "An event, but no JSON: \(fast).")
      }
      try JSONAgreement.check(line)
      read.append(fast)
    }
    var whole = ScannedLines()
    scanner.scanLines(input, into: &whole)
    try Finding.require(
      whole.lines == read, "One by one: \(read); as they stand in a file: \(whole.lines).")
  }

  /// Returns the lines of a file, without blank ones, and without a CR before an LF.
  private static func lines(of input: [UInt8]) -> [[UInt8]] {
    let parts = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    return parts.enumerated().compactMap { index, part in
      let isTerminated = index < parts.count - 1
      let line = isTerminated && part.last == 0x0D ? part.dropLast() : part
      return line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } ? nil : Array(line)
    }
  }
}
