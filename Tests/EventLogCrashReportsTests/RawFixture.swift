import EventLog

@testable import EventLogCrashReports

/// A raw file, written by other code than the recorder's.
struct RawFixture {
  var session: UInt64
  var hour: Int64 = 497_000
  var app = "1.4.2"
  var system = "Linux 6.1"
  var device = "x86_64, 2 cores, 4 GiB"
  var names = ["opened", "saved"]
  var frames: [UInt64] = [0x1010, 0x1020, 0x9999]
  var errorType: String?

  var bytes: [UInt8] {
    var file = [UInt8](repeating: 0, count: RawLayout.blocks * RawLayout.blockBytes)
    put(RawLayout.header, RawLayout.header, into: &file) { block in
      text(app, 24, &block)
      text(system, 56, &block)
      text(device, 88, &block)
    }
    put(RawLayout.names, RawLayout.names, into: &file) { block in
      block[16] = UInt8(names.count)
      var offset = 24
      for name in names {
        text(name, offset, &block)
        offset += 1 + name.utf8.count
      }
    }
    put(RawLayout.images, RawLayout.images, into: &file) { block in
      block[16] = 1
      block[24] = 8
      block[25] = 1
      for index in 0..<8 { block[28 + index] = UInt8(0xA0 + index) }
      integer(0x1000, 48, 8, &block)
      integer(0x1000, 56, 8, &block)
      integer(0x1000, 64, 8, &block)
    }
    put(RawLayout.begun, RawLayout.begun, into: &file) { crash(&$0) }
    put(RawLayout.done, RawLayout.done, into: &file) { block in
      crash(&block)
      integer(UInt64(frames.count), 26, 2, &block)
      for (index, frame) in frames.enumerated() { integer(frame, 72 + 8 * index, 8, &block) }
      block[25] = 2
      integer(1, 30, 2, &block)
    }
    if let errorType {
      put(RawLayout.errors, RawLayout.errors, into: &file) { block in
        integer(UInt64(hour), 20, 4, &block)
        block[68] = 3
        text(errorType, 1096, &block)
      }
    }
    return file
  }

  private func crash(_ block: inout [UInt8]) {
    block[16] = 11
    block[17] = 1
    block[18] = 1
    block[19] = 1
    integer(UInt64(hour), 20, 4, &block)
    block[24] = 4
  }

  private func put(
    _ number: Int, _ kind: Int, into file: inout [UInt8], _ body: (inout [UInt8]) -> Void
  ) {
    var block = [UInt8](repeating: 0, count: RawLayout.blockBytes)
    block.replaceSubrange(0..<4, with: Array("EvC1".utf8))
    block[4] = UInt8(kind)
    block[5] = 1
    integer(UInt64(number), 6, 2, &block)
    integer(session, 8, 8, &block)
    body(&block)
    let covered = RawLayout.blockBytes - 4
    integer(UInt64(CRC32C.checksum(Array(block.prefix(covered)))), covered, 4, &block)
    let start = number * RawLayout.blockBytes
    file.replaceSubrange(start..<(start + RawLayout.blockBytes), with: block)
  }

  private func text(_ text: String, _ offset: Int, _ block: inout [UInt8]) {
    block[offset] = UInt8(text.utf8.count)
    block.replaceSubrange((offset + 1)..<(offset + 1 + text.utf8.count), with: Array(text.utf8))
  }

  private func integer(
    _ value: UInt64, _ offset: Int, _ count: Int, _ block: inout [UInt8]
  ) {
    for byte in 0..<count { block[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }
}
