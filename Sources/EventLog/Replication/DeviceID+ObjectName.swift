extension DeviceID {
  /// The ID as spelled in the names of objects: after `~` if it begins with `.`, like a temporary
  /// file.
  package var objectName: String { text.utf8.first == UInt8(ascii: ".") ? "~" + text : text }

  /// Returns nil for text that isn't the ``objectName`` of any device.
  package init?(objectName: String) {
    let isMarked = objectName.utf8.first == UInt8(ascii: "~")
    guard let device = DeviceID(isMarked ? String(objectName.dropFirst()) : objectName),
      isMarked == (device.text.utf8.first == UInt8(ascii: "."))
    else { return nil }
    self = device
  }
}
