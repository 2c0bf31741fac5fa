import Testing

@testable import EventLog

@Suite(.tags(.random)) struct UTF8ValidationTests {
  /// Bytes at both sides of each limit in Unicode's table 3-7, and some that matter to JSON.
  static let edges: [UInt8] = [
    0x00, 0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED,
    0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
  ]

  private static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    UTF8Validation.firstFault(bytes.baseAddress!, count: bytes.count) == nil
  }

  /// Whether the standard library agrees on `bytes`; records a disagreement.
  private static func agrees(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let expected = String(validating: bytes, as: UTF8.self) != nil
    if isValid(bytes) == expected { return true }
    Issue.record("\(Array(bytes)) should be \(expected ? "valid" : "refused")")
    return false
  }

  @Test func `the standard library agrees on all strings of one and two bytes`() {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2) { bytes in
      for first in UInt8.min ... .max {
        bytes[0] = first
        guard Self.agrees(UnsafeBufferPointer(rebasing: bytes[..<1])) else { return }
        for second in UInt8.min ... .max {
          bytes[1] = second
          guard Self.agrees(UnsafeBufferPointer(bytes)) else { return }
        }
      }
    }
  }

  /// Any two bytes, then an edge if the first one leads three bytes, or else one of five bytes.
  ///
  /// With `EVENTLOG_ROUNDS=1`, every byte follows a lead byte of three; above 1, all 16 million
  /// strings are tested.
  @Test func `the standard library agrees on strings of three bytes`() {
    let isComplete = Rounds.areLong
    let all = Array(UInt8.min ... .max)
    let last = Rounds.areComplete ? all : Self.edges
    let few: [UInt8] = [0x41, 0x80, 0xBF, 0xC3, 0xFF]
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { bytes in
      for first in all {
        bytes[0] = first
        let thirds = isComplete ? all : (0xE0...0xEF).contains(first) ? last : few
        for second in all {
          bytes[1] = second
          for third in thirds {
            bytes[2] = third
            guard Self.agrees(UnsafeBufferPointer(bytes)) else { return }
          }
        }
      }
    }
  }

  @Test func `the standard library agrees on strings of four bytes`() {
    var random = FormatRandom.generator("UTF8Validation")
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { bytes in
      for lead in UInt8(0xEE)...0xF8 {
        bytes[0] = lead
        for second in UInt8.min ... .max {
          bytes[1] = second
          for third in Self.edges {
            bytes[2] = third
            bytes[3] = Self.edges.randomElement(using: &random)!
            guard Self.agrees(UnsafeBufferPointer(bytes)) else { return }
            bytes[3] = UInt8.random(in: 0x80...0xBF, using: &random)
            guard Self.agrees(UnsafeBufferPointer(bytes)) else { return }
          }
        }
      }
      for _ in 0..<Rounds.of(100_000) {
        for index in 0..<4 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        guard Self.agrees(UnsafeBufferPointer(bytes)) else { return }
      }
    }
  }

  @Test func `the encoding of every scalar value is valid`() {
    var refused: [UInt32] = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isValid = UTF8.encode(scalar)!.withContiguousBytes(Self.isValid)
      if !isValid { refused.append(value) }
    }
    #expect(refused.isEmpty)
  }

  @Test func `an invalid sequence is found after any number of valid bytes`() {
    for count in 0..<70 {
      for filler in ["a", "é", "東", "😀"] {
        let valid = Array(String(repeating: filler, count: count).utf8)
        for fault in [[0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80]]
          as [[UInt8]]
        {
          let found = (valid + fault).withUnsafeBufferPointer {
            UTF8Validation.firstFault($0.baseAddress!, count: $0.count)
          }
          #expect(found == valid.count)
        }
      }
    }
  }

  @Test func `a non-ASCII byte is found at every position`() {
    for count in 1..<100 {
      var bytes = [UInt8](repeating: 0x7F, count: count)
      #expect(Self.isASCII(bytes))
      for index in 0..<count {
        bytes[index] = 0x80
        #expect(!Self.isASCII(bytes))
        bytes[index] = 0x00
      }
    }
  }

  private static func isASCII(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { UTF8Validation.isASCII($0.baseAddress!, count: $0.count) }
  }
}

extension UTF8.EncodedScalar {
  fileprivate func withContiguousBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { buffer in
      var count = 0
      for byte in self {
        buffer[count] = byte
        count += 1
      }
      return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
