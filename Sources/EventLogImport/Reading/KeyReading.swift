import EventLog

/// Reads the keys of a property list or a JSON object, for one user.
struct KeyReading {
  let map: ImportMap
  let user: String
  let catalog: SchemaCatalog
  let settings: ImportSettings
  /// The only place whose keys are read, or nil for all places.
  let only: String?
  /// The name of the file in errors.
  let title: String
  private var content = SourceContent()
  /// The statements of each place.
  private var statements: [RepeatedValues] = []

  init(
    _ map: ImportMap, for user: String, _ catalog: SchemaCatalog, _ settings: ImportSettings,
    only: String?, title: String
  ) {
    self.only = only
    self.map = map
    self.user = user
    self.catalog = catalog
    self.settings = settings
    self.title = title
  }

  /// The map's entry for the name of a key, and the owner of the key.
  private struct Found {
    var key: ImportMap.KeyMap
    var placeIndex: Int
    var owner: Owner
  }

  private enum Owner {
    case ours
    case user(String)
    case guest
    /// The journal's user, or another one whose name begins with that name.
    case unclear(String)
  }

  mutating func read(_ tree: SourceTree) throws(EventLogError) -> SourceContent {
    guard case .members(let members) = tree else {
      throw .cannotImport("\(title) holds no keys: it is not a dictionary.", file: title)
    }
    statements = map.places.map { _ in RepeatedValues() }
    for (name, value) in members.sorted(by: {
      $0.name.precedes($1.name)
    }) {
      guard let found = find(name) else {
        content.addUnused(name, as: name, map)
        continue
      }
      if let only, map.places[found.placeIndex].name != only { continue }
      switch found.owner {
      case .ours: try add(name, value, found)
      case .user(let user): content.addOther(user)
      case .guest: content.addOther(nil)
      case .unclear(let other):
        content.remarks.append(
          "\(name) was left: it may be a key of \(user), or of \(other). If it is yours, write"
            + " \(user) instead of {user} in a map of your own.")
      }
    }
    content.noteIgnored()
    for (place, values) in zip(map.places, statements) {
      content.stores.append((place.name, values.statements))
      content.remarks += values.remarks
    }
    return content
  }

  private func find(_ name: String) -> Found? {
    // A key's name may be a prefix of another one's, so try longer names first.
    let keys = map.keys.sorted { $0.name.utf8.count > $1.name.utf8.count }
    for (index, place) in map.places.enumerated() {
      for key in keys {
        let pattern = place.pattern.filling(["key": key.name])
        guard let parts = pattern.match(name) else { continue }
        return Found(key: key, placeIndex: index, owner: owner(place, pattern, parts, name))
      }
    }
    return nil
  }

  private func owner(
    _ place: ImportMap.Place, _ pattern: NamePattern, _ parts: [String: String], _ name: String
  ) -> Owner {
    if place.isGuest { return JournalUsers.isGuest(user) ? .ours : .guest }
    guard let named = parts["user"] else { return .ours }
    // A user's name may contain the pattern's separators, so match it as a whole.
    guard let rest = pattern.filling(["user": user]).match(name) else { return .user(named) }
    // With a separator in the rest, the user's name may be longer, too: abc_123 for abc.
    guard let mark = pattern.separator(after: "user"),
      let next = pattern.nameFollowing("user").flatMap({ rest[$0] }),
      let end = next.utf8.firstRange(of: mark.utf8)
    else { return .ours }
    return .unclear("\(user)\(mark)\(next[..<end.lowerBound])")
  }

  private mutating func add(
    _ name: String, _ tree: SourceTree, _ found: Found
  ) throws(EventLogError) {
    let key = found.key
    let mechanism = catalog.collection(kind: key.kind)?.field(key.field)?.mechanism
    var reader = ValueReader(
      key.source, mechanism,
      .init(
        zone: settings.zone, dates: key.source.dates ?? settings.dates,
        decimalMark: key.source.decimalMark ?? settings.decimalMark))
    let value: Statement.Value
    do throws(ValueReader.Refusal) { value = try reader.read(tree) } catch {
      if key.source.isLenient {
        content.remarks.append("\(name) was left: its value \(error.reason).")
        return
      }
      throw .cannotImport(
        "\(title): the key \"\(name)\" cannot be imported: its value \(error.reason).",
        hint: error.ofField.hint, file: title)
    }
    if let remark = reader.remark { content.remarks.append("\(name) was \(remark).") }
    content.keys.append(name)
    content.valueCount += 1
    let target = Statement.Target(kind: key.kind, key: key.name)
    try statements[found.placeIndex].add(
      Statement(
        .init(target, .key(name)), .init(key.field, initial: key.source.initial), value))
  }
}
