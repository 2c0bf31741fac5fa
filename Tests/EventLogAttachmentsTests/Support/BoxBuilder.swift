/// Writes boxes of ISO 14496-12.
enum BoxBuilder {
  /// - Parameter isBlanked: Whether the box becomes an unused one.
  static func box(
    _ type: [UInt8], _ content: PlantedBytes, isLong: Bool = false, isBlanked: Bool = false
  ) -> PlantedBytes {
    var box = PlantedBytes(big(isLong ? 1 : content.count + 8, 4))
    box += PlantedBytes(type, isPosition: isBlanked)
    if isLong { box += big(content.count + 16, 8) }
    return box + (isBlanked ? content.asPosition() : content)
  }

  static func box(
    _ type: String, _ content: PlantedBytes, isLong: Bool = false, isBlanked: Bool = false
  ) -> PlantedBytes {
    box(Array(type.utf8), content, isLong: isLong, isBlanked: isBlanked)
  }

  static func join(_ boxes: [PlantedBytes]) -> PlantedBytes {
    boxes.reduce(PlantedBytes()) { $0 + $1 }
  }

  static var fileType: PlantedBytes { box("ftyp", PlantedBytes("heic\0\0\0\0mif1heic")) }

  /// A movie with a position in each form that is removed.
  static func movie(_ secret: Secret?, isQuickTime: Bool, isLong: Bool = false) -> PlantedBytes {
    let mark: [UInt8] = [0xA9]
    let text = PlantedBytes(secret?.text ?? "")
    var userData = box(mark + Array("nam".utf8), PlantedBytes([0, 3, 0, 0]) + PlantedBytes("Ada"))
    if let secret {
      userData += box(
        mark + Array("xyz".utf8), PlantedBytes(big(text.count, 2) + [0x15, 0xC7]) + text,
        isLong: isLong, isBlanked: true)
      userData += box(
        "loci",
        PlantedBytes([0, 0, 0, 0, 0x15, 0xC7, 0, 0])
          + PlantedBytes(big(Int(secret.longitude), 4) + big(Int(secret.latitude), 4) + [0, 0]),
        isBlanked: true)
    }
    // QuickTime ends user data with zeros.
    if isQuickTime { userData += [0, 0, 0, 0] }
    let track = box("trak", box("tkhd", PlantedBytes("track")) + box("udta", userData))
    let movie =
      box("mvhd", PlantedBytes("header")) + track + box("udta", userData)
      + metadata(secret, isQuickTime: isQuickTime)
    return box("moov", movie, isLong: isLong)
  }

  /// Keys and values as iPhones write them.
  private static func metadata(_ secret: Secret?, isQuickTime: Bool) -> PlantedBytes {
    func key(_ name: String) -> PlantedBytes { box("mdta", PlantedBytes(name)) }
    func value(_ index: Int, _ value: PlantedBytes, type: Int = 1) -> PlantedBytes {
      let data = PlantedBytes(big(type, 4) + big(0, 4)) + value
      return box(big(index, 4), box("data", data), isBlanked: index > 1)
    }
    var keys = key("com.apple.quicktime.make")
    var values = value(1, PlantedBytes("Apple"))
    if let secret {
      keys += key("com.apple.quicktime.location.ISO6709")
      keys += key("com.apple.quicktime.location.accuracy.horizontal")
      values += value(2, PlantedBytes(secret.text))
      values += value(3, PlantedBytes(big(Int(secret.latitude), 4)), type: 23)
    }
    let count = secret == nil ? 1 : 3
    let parts = join([
      box("hdlr", PlantedBytes("\0\0\0\0\0\0\0\0mdta")),
      box("keys", PlantedBytes(big(0, 4) + big(count, 4)) + keys), box("ilst", values),
    ])
    return box("meta", isQuickTime ? parts : PlantedBytes([0, 0, 0, 0]) + parts)
  }
}
