/// Writes a JPEG whose pixels no decoder would accept.
struct JPEGBuilder {
  private(set) var output = PlantedBytes([0xFF, 0xD8])

  mutating func segment(_ marker: UInt8, _ content: PlantedBytes) {
    output += [0xFF, marker] + big(content.count + 2, 2)
    output += content
  }

  mutating func exif(_ tiff: PlantedBytes, parts: Int, _ random: inout SeededRandom) {
    // The first part contains at least the header.
    let rest = tiff[8..<tiff.count].divided(into: parts, &random)
    for (index, part) in rest.enumerated() {
      segment(0xE1, PlantedBytes("Exif\0\0") + (index == 0 ? tiff[0..<8] + part : part))
    }
  }

  mutating func xmp(_ packet: PlantedBytes) {
    segment(0xE1, PlantedBytes("http://ns.adobe.com/xap/1.0/\0") + packet)
  }

  /// Writes extended XMP in parts that aren't in order.
  mutating func extendedXMP(_ packet: PlantedBytes, parts: Int, _ random: inout SeededRandom) {
    var offset = 0
    var segments: [PlantedBytes] = []
    for part in packet.divided(into: parts, &random) {
      var content = PlantedBytes("http://ns.adobe.com/xmp/extension/\0")
      content += PlantedBytes(String(repeating: "A7", count: 16))
      content += big(packet.count, 4) + big(offset, 4)
      segments.append(content + part)
      offset += part.count
    }
    // Parts of no length have the offset of the next one.
    segments.removeAll { $0.count == 75 }
    for content in segments.shuffled(using: &random) { segment(0xE1, content) }
  }

  /// Writes the frame, two scans of entropy-coded data, and the end.
  mutating func pixels(_ random: inout SeededRandom) {
    segment(0xDB, PlantedBytes(random.bytes(64)))
    segment(0xC0, PlantedBytes(random.bytes(15)))
    for _ in 0..<2 {
      segment(0xC4, PlantedBytes(random.bytes(28)))
      segment(0xDA, PlantedBytes(random.bytes(8)))
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        output += random.bytes(3).map { $0 == 0xFF ? 0xFE : $0 }
        output += [[0xFF, 0], [0xFF, 0xD0], [0xFF, 0xFF, 0xD7]].randomElement(using: &random)!
      }
    }
    output += [0xFF, 0xD9]
  }
}
