package import EventLog

extension ReferenceLine {
  /// Reads a line with or without its LF, or returns nil if it is blank or invalid.
  package init?(_ line: [UInt8]) {
    var bytes = line[...]
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    // `,"crc":"`, 16 digits, `"}`.
    let covered = Array(bytes.dropLast(26))
    let tail = Array(bytes.suffix(26))
    guard !covered.isEmpty, tail.starts(with: #","crc":""#.utf8),
      tail.suffix(2).elementsEqual("\"}".utf8),
      let checksum = LineChecksum(text: tail[8..<24]),
      LineChecksum.of(covered: covered, after: checksum.before) == checksum,
      case .object(let object)? = try? JSONValue(parsing: bytes)
    else { return nil }
    self.init(object, checksum, Array(bytes))
  }

  private init?(_ object: JSONObject, _ checksum: LineChecksum, _ bytes: [UInt8]) {
    guard let id = object["id"].flatMap(ReferenceValue.string).flatMap(EventID.init),
      id.chain == nil, id.sequence > 1 || checksum.before == 0,
      let seen = Self.seen(object["seen"]), [nil, true].contains(object["more"]),
      var version = object["v"].map(ReferenceValue.integer) ?? 1, version >= 1
    else { return nil }
    let isErased = version == 1 && object["erased"] != nil
    if isErased {
      guard object["erased"].flatMap(ReferenceValue.string) != nil else { return nil }
      if object["data"] == nil { version = 0 }
    }
    var (at, type, entity, data): (Timestamp?, String, EntityID?, JSONObject)
    (at, type, entity, data) = (nil, "", nil, JSONObject())
    if version == 1 {
      guard let time = object["at"].flatMap(ReferenceValue.string),
        let known = object["type"].flatMap(ReferenceValue.string),
        case .object(let content)? = object["data"]
      else { return nil }
      (at, type, data) = (Timestamp(time), known, content)
      entity = object["entity"].flatMap(ReferenceValue.string).flatMap(EntityID.init)
      let salt = object["salt"].map { ReferenceValue.string($0) ?? "" }
      let alphabet = "abcdefghijklmnopqrstuvwxyz234567"
      guard at?.description == time, (entity == nil) == (object["entity"] == nil),
        salt == nil || !isErased,
        salt.map({ $0.utf8.count == 12 && $0.allSatisfy(alphabet.contains) }) ?? true
      else { return nil }
    }
    self.init(
      id: FullEventID(device: id.device, sequence: id.sequence, chain: checksum.chain),
      before: checksum.before, at: at, type: type, entity: entity, data: data, version: version,
      seen: seen, hasMore: object["more"] != nil, isErased: isErased, bytes: bytes)
  }

  /// Returns the entries of `seen`, or nil if the value isn't a sorted list of full IDs.
  private static func seen(_ value: JSONValue?) -> [FullEventID]? {
    guard let value else { return [] }
    guard case .array(let values) = value else { return nil }
    let entries = values.compactMap { ReferenceValue.string($0).flatMap(FullEventID.init) }
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
    return entries.count == values.count && isSorted ? entries : nil
  }

  /// Creates the line of an event that the library has read.
  package init(_ event: Event) {
    self.init(
      id: event.fullID, before: LineChecksum(text: event.checksum.utf8)!.before, at: event.at,
      type: event.type, entity: event.entity, data: event.data, version: event.version,
      seen: event.seen, hasMore: event.hasMore, bytes: [])
  }
}
