package import EventLog

/// One good line of a journal, read slowly.
package struct ReferenceLine: Sendable, Hashable {
  package let id: FullEventID
  /// The chain of the event before it; 0 for the first of a history.
  package let before: UInt32
  /// Nil for a line of a later version, as all that follows means nothing there.
  package let at: Timestamp?
  /// Empty for a line of a later version.
  package let type: String
  package let entity: EntityID?
  package let data: JSONObject
  /// 1, or more where a later version of the format wrote the line.
  package let version: Int64
  package let seen: [FullEventID]
  /// Whether the next event of its history belongs with it.
  package let hasMore: Bool
  /// The line without its LF.
  package let bytes: [UInt8]

  package init(
    id: FullEventID, before: UInt32, at: Timestamp?, type: String, entity: EntityID?,
    data: JSONObject, version: Int64, seen: [FullEventID], hasMore: Bool, bytes: [UInt8]
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
    self.bytes = bytes
  }

  /// The event that it goes on from; nil for the first of a history.
  package var previous: FullEventID? {
    id.sequence == 1
      ? nil : FullEventID(device: id.device, sequence: id.sequence - 1, chain: before)
  }

  /// What a device's first event says; nil where this is none, or says no such thing.
  package var joining: (user: String, name: String)? {
    guard id.sequence == 1, version == 1, type == "device.joined",
      let user = data["user"].flatMap(ReferenceValue.string),
      let name = data["name"].flatMap(ReferenceValue.string),
      (1...128).contains(user.utf8.count),
      !user.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    else { return nil }
    return (user, name)
  }

  /// Who is taken for whom from this event on.
  package var adoption: (from: String, to: String)? {
    guard version == 1, type == "user.adopted",
      let from = data["from"].flatMap(ReferenceValue.string),
      let to = data["to"].flatMap(ReferenceValue.string)
    else { return nil }
    return (from, to)
  }
}
