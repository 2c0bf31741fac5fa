import EventLog

/// The devices, types and entities of the events read, for errors if no event matches the filter.
final class SeenNames {
  private var deviceNames = ByteInterner()
  private var typeNames = ByteInterner()
  private var entityNames = ByteInterner()

  func note(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    _ = deviceNames.intern(canonical, layout.device)
    if layout.version == 1 {
      _ = typeNames.intern(canonical, layout.type)
      if layout.entity.count > 0 { _ = entityNames.intern(canonical, layout.entity) }
    } else {
      _ = typeNames.intern("")
    }
  }

  var devices: Set<String> { Set((0..<deviceNames.count).map(deviceNames.text)) }
  var entities: Set<String> { Set((0..<entityNames.count).map(entityNames.text)) }
  var types: Set<String> { Set((0..<typeNames.count).map(typeNames.text)) }
}
