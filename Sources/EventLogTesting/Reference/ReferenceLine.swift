package import EventLog

/// A valid line of a journal, read in a simple and slow way.
package struct ReferenceLine: Sendable, Hashable {
  package let id: FullEventID
  /// The chain of its predecessor, or 0 for the first event of a history.
  package let before: UInt32
  /// Nil for a line of a later version.
  package let at: Timestamp?
  /// Empty for a line of a later version.
  package let type: String
  package let entity: EntityID?
  package let data: JSONObject
  /// The version of the format: 1, unless a later one wrote the line, or 0 if all of the event was
  /// erased.
  package let version: Int64
  package let seen: [FullEventID]
  /// Whether the next event of its history belongs to the same batch.
  package let hasMore: Bool
  /// Whether something of the event was erased.
  package let isErased: Bool
  /// The line without its LF.
  package let bytes: [UInt8]

  package init(
    id: FullEventID, before: UInt32, at: Timestamp?, type: String, entity: EntityID?,
    data: JSONObject, version: Int64, seen: [FullEventID], hasMore: Bool, isErased: Bool = false,
    bytes: [UInt8]
  ) {
    self.id = id
    self.before = before
    self.at = at
    self.type = type
    self.entity = entity
    self.data = data
    self.version = version
    self.seen = seen
    self.hasMore = hasMore
    self.isErased = isErased
    self.bytes = bytes
  }

  /// The predecessor, or nil for the first event of a history.
  package var previous: FullEventID? {
    id.sequence == 1
      ? nil : FullEventID(device: id.device, sequence: id.sequence - 1, chain: before)
  }

  /// The data of a device's valid first event, or nil for any other event.
  package var joining: (user: String, name: String)? {
    guard id.sequence == 1, version == 1, type == "device.joined",
      let user = data["user"].flatMap(ReferenceValue.string),
      let name = data["name"].flatMap(ReferenceValue.string),
      (1...128).contains(user.utf8.count),
      !user.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    else { return nil }
    return (user, name)
  }

  /// The source and its place, according to the first event of a history.
  package var source: [String]? {
    guard joining != nil, let name = data["source"].flatMap(ReferenceValue.string), !name.isEmpty
    else { return nil }
    return [name, data["place"].flatMap(ReferenceValue.string) ?? ""].map(ReferenceValue.plain)
  }

  /// The users of an adoption, or nil for any other event.
  package var adoption: (from: String, to: String)? {
    guard version == 1, type == "user.adopted",
      let from = data["from"].flatMap(ReferenceValue.string),
      let to = data["to"].flatMap(ReferenceValue.string)
    else { return nil }
    return (from, to)
  }
}
