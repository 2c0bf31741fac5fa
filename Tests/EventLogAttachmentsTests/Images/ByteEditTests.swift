import Testing

@testable import EventLogAttachments

@Suite struct ByteEditTests {
  @Test func `overlapping edits become disjoint, and the first wins`() {
    let edits = [
      ByteEdit(at: 4, [1, 2, 3]), ByteEdit(0..<5, fill: 9), ByteEdit(6..<8, fill: 8),
      ByteEdit(at: 4, [7]), ByteEdit(at: 20, [5]),
    ]
    let bytes = [UInt8](repeating: 0, count: 24)
    let disjoint = edits.disjoint()
    let edited = ImagePosition(format: nil, edits: disjoint).edited(bytes)
    #expect(edited[..<9] == [9, 9, 9, 9, 9, 2, 3, 8, 0])
    #expect(edited[20] == 5)
    #expect(disjoint.map(\.range) == [0..<5, 5..<7, 7..<8, 20..<21])
  }

  @Test func `random edits in random chunks are those of the whole file`() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededRandom(seed)
      let bytes = random.bytes(.random(in: 1...80, using: &random))
      let edits = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = Int.random(in: start + 1...bytes.count, using: &random)
        return Bool.random(using: &random)
          ? ByteEdit(Int64(start)..<Int64(end), fill: 7)
          : ByteEdit(at: Int64(start), random.bytes(end - start))
      }.disjoint()
      var expected = bytes
      for edit in edits {
        for offset in edit.range { expected[Int(offset)] = edit[offset] }
      }
      var editor = ByteEditor(edits)
      var edited: [UInt8] = []
      while edited.count < bytes.count {
        let rest = bytes.count - edited.count
        var chunk = Array(
          bytes[edited.count..<edited.count + .random(in: 0...rest, using: &random)])
        editor.apply(to: &chunk)
        edited += chunk
      }
      #expect(edited == expected, "seed \(seed)")
    }
  }

  @Test func `parts of a region lie where its pieces are`() {
    let region = ByteRegion([10..<13, 5..<5, 0..<2, 20..<30])
    #expect(region.count == 15)
    #expect(region.pieces == [10..<13, 0..<2, 20..<30])
    #expect((0...15).map(region.fileOffset) == [10, 11, 12, 0, 1] + Array(20...30))
    #expect(region.pieces(in: 2..<6) == [12..<13, 0..<2, 20..<21])
    #expect(region.pieces(in: 14..<99) == [29..<30])
    #expect(region.part(from: 15).count == 0)
    #expect(region.range(at: 15, count: 0) == 15..<15)
    #expect(region.range(at: 1, count: .max) == nil)
    #expect(region.range(at: .max, count: 1) == nil)
    #expect(region.range(at: -1, count: 1) == nil)
  }
}
