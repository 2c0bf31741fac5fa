import EventLog

/// Selects the events that a replay shows.
struct EventFilter {
  let device: String?
  let type: String?
  let entity: String?
  let last: Int?
  let showsClocks: Bool
  private let bytes: Bytes

  /// The same criteria, as the bytes in a line.
  private struct Bytes {
    var device: [UInt8]?
    /// A type, or a prefix of types if `isBeginning`.
    var type: [UInt8]?
    var isBeginning = false
    var entity: [UInt8]?
    /// The suffix of an entity ID with this key.
    var key: [UInt8]?
  }

  init(_ arguments: Arguments) throws(EventLogError) {
    device = arguments["device"]
    type = arguments["type"]
    entity = arguments["entity"]
    showsClocks = arguments.has("clocks")
    if let text = arguments["last"] {
      guard let count = Int(text), count >= 0 else {
        throw .usage("--last takes a whole number from 0 to \(Int.max).", "replay")
      }
      last = count
    } else {
      last = nil
    }
    let isBeginning = type?.utf8.last == UInt8(ascii: "*")
    bytes = Bytes(
      device: device.map { Array($0.utf8) },
      type: type.map { Array($0.utf8.dropLast(isBeginning ? 1 : 0)) }, isBeginning: isBeginning,
      entity: entity.map { Array($0.utf8) }, key: entity.map { Array("/\($0)".utf8) })
  }

  func matches(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    if let device = bytes.device, !canonical.matches(layout.device, device) { return false }
    if let entity = bytes.entity, let key = bytes.key {
      let isWanted =
        canonical.matches(layout.entity, entity) || canonical.ends(layout.entity, with: key)
      guard isWanted, layout.entity.count > 0 else { return false }
    }
    guard let type = bytes.type else { return true }
    // The types of later format versions aren't known.
    guard layout.version == 1 else { return type.isEmpty && bytes.isBeginning }
    return bytes.isBeginning
      ? canonical.begins(layout.type, with: type) : canonical.matches(layout.type, type)
  }

  private func matches(_ name: String) -> Bool {
    guard let type = bytes.type else { return true }
    return bytes.isBeginning ? name.utf8.starts(with: type) : name.utf8.elementsEqual(type)
  }

  /// Refuses an entity without events.
  ///
  /// - Parameters:
  ///   - entities: The entities of all events read.
  ///   - named: Returns the entity with the given display name, if there is one.
  /// - Throws: `noEntity`.
  func checkEntity(
    in path: String, among entities: Set<String>, named: (String) -> String?
  ) throws(EventLogError) {
    guard let entity, !entities.contains(where: { $0 == entity || $0.hasSuffix("/\(entity)") })
    else { return }
    let keys = entities.map { String($0.drop { $0 != "/" }.dropFirst()) }
    let near =
      named(entity).flatMap { entities.contains($0) ? $0 : nil }
      ?? Suggestion.nearest(to: entity, among: entities.sorted())
      ?? Suggestion.nearest(to: entity, among: keys.sorted())
    throw EventLogError(
      .noEntity, "\(path) contains no events of an entity \"\(entity)\".",
      hint: near.map { "Did you mean \($0)?" }, at: .init(file: path))
  }

  /// Returns the note to print if no event matches.
  ///
  /// - Parameter types: The types of all events read.
  func noMatchNote(in path: String, among types: Set<String>) -> String {
    guard let type, !types.contains(where: matches) else { return "No event in \(path) matches." }
    var names = types.sorted()
    if type.hasSuffix(".*") {
      names = Set(names.map { $0.prefix { $0 != "." } + ".*" }).sorted()
    }
    let near = Suggestion.nearest(to: type, among: names)
    return "No event in \(path) has the type \(type)."
      + (near.map { " Did you mean \($0)?" }
        ?? (types.isEmpty ? "" : " It contains \(names.prefix(10).joined(separator: ", "))."))
  }
}
