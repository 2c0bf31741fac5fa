import EventLog

/// Finds the rows of a table in a document: the dictionaries of a list, or of an object by ID.
struct RowFinder {
  struct Row {
    var location: SourceLocation
    var values: [(name: String, value: SourceTree)]
  }

  private let title: String
  private let lines: [Int]?
  /// The column that gets the ID of each row of an object.
  private let idColumn: String?
  /// The columns that rows take over from the dictionaries around them.
  private let columns: Set<String>
  private let wide: TableMap.Wide?
  private let form: TableMap.Form?
  /// The names of the objects in rows that have columns, such as `a` for `a.b`.
  private let nested: Set<String>
  private(set) var rows: [Row] = []
  /// The numbers of dictionaries in lists with and without a part of the path.
  private var counts: [(name: String, present: Int, missing: Int)] = []

  /// A sentence about the list items that have no rows, or nil if all have some.
  var finding: String? {
    let parts = counts.filter { $0.missing > 0 }.map { name, present, missing in
      "\(missing) of \(present + missing) have no \"\(name)\""
    }
    return parts.isEmpty ? nil : "\(title): \(parts.joined(separator: ", and "))."
  }

  init(_ document: SourceDocument, _ map: TableMap, title: String) {
    self.title = title
    lines = document.lines
    idColumn = map.idColumn
    columns = map.columnNames
    (wide, form) = (map.wide, map.form)
    nested = Set(
      columns.compactMap { $0.firstIndex(of: ".").map($0.prefix(upTo:)).map(String.init) })
  }

  /// Finds the rows of a list, whose name may be a path such as `tasks.dailys.history`.
  ///
  /// Returns false if there is no such list.
  mutating func find(_ name: String, in tree: SourceTree) throws(EventLogError) -> Bool {
    if name.isEmpty {
      try add(tree, "", [])
      return true
    }
    if case .members(let members) = tree,
      let exact = members.first(where: { $0.name == name })
    {
      try add(exact.value.opened, name, members.filter(isTakenOver))
      return true
    }
    return try find(name.split(separator: ".")[...], in: tree, "", [])
  }

  private mutating func find(
    _ path: ArraySlice<Substring>, in tree: SourceTree, _ list: String,
    _ around: [(name: String, value: SourceTree)]
  ) throws(EventLogError) -> Bool {
    guard let first = path.first else {
      try add(tree, list, around)
      return true
    }
    switch tree {
    case .members(let members):
      let member = members.first { $0.name == first }
      if list.last == "]" { count(first, isPresent: member != nil) }
      guard let member else { return false }
      let inside = list.isEmpty ? String(first) : "\(list).\(first)"
      // Only data at the top are opened: a list could share the same data many times.
      let value = list.isEmpty ? member.value.opened : member.value
      return try find(path.dropFirst(), in: value, inside, nearest(members, around))
    case .list(let items):
      var isFound = items.isEmpty
      for (index, item) in items.enumerated() {
        if try find(path, in: item, "\(list)[\(index)]", around) { isFound = true }
      }
      return isFound
    case .json, .moment, .bytes:
      if list.last == "]" { count(first, isPresent: false) }
      return false
    }
  }

  private mutating func count(_ name: Substring, isPresent: Bool) {
    let known = counts.firstIndex { $0.name.hasBytes(of: String(name)) }
    if known == nil { counts.append((String(name), 0, 0)) }
    let index = known ?? counts.count - 1
    if isPresent { counts[index].present += 1 } else { counts[index].missing += 1 }
  }

  /// Returns the values that rows inside of a dictionary take over: those of the nearest one count.
  private func nearest(
    _ members: [(name: String, value: SourceTree)],
    _ around: [(name: String, value: SourceTree)]
  ) -> [(name: String, value: SourceTree)] {
    let own = members.filter(isTakenOver)
    let names = Set(own.map(\.name))
    return own + around.filter { !names.contains($0.name) }
  }

  private func isTakenOver(_ member: (name: String, value: SourceTree)) -> Bool {
    switch member.value {
    case .json, .moment: columns.contains(member.name)
    case .list, .members, .bytes: false
    }
  }

  private mutating func add(
    _ tree: SourceTree, _ list: String, _ around: [(name: String, value: SourceTree)]
  ) throws(EventLogError) {
    if let wide { return try addWide(tree, list, around, wide) }
    switch tree {
    case .list(let items):
      for (index, item) in items.enumerated() {
        var location = SourceLocation.element(file: title, list: list, index)
        if list.isEmpty, let lines { location = .line(file: title, lines[index]) }
        try add(item, at: location, around)
      }
    case .members(let members):
      let isObject = members.contains { if case .members = $0.value { false } else { true } }
      if idColumn == nil, isObject {
        return try add(tree, at: .member(file: title, list), around)
      }
      for (name, item) in members {
        let id = idColumn.map { [($0, SourceTree.json(.string(name)))] } ?? []
        let path = list.isEmpty ? name : "\(list).\(name)"
        try add(item, at: .member(file: title, path), nearest(id, around))
      }
    case .json(.null): return
    case .json, .moment, .bytes:
      throw .cannotImport(
        "\(list.isEmpty ? title : "\(title): \(list)") is not a list of rows.", file: title)
    }
  }

  private mutating func add(
    _ item: SourceTree, at location: SourceLocation,
    _ around: [(name: String, value: SourceTree)]
  ) throws(EventLogError) {
    guard case .members(var members) = item else {
      throw .cannotImport("\(location) is not a dictionary.", file: title, line: location.line)
    }
    if form == .firestore {
      guard let row = FirestoreForm.row(members) else {
        throw .cannotImport(
          "\(location) is not a document of Firestore with the type of each value.", file: title,
          line: location.line)
      }
      members = row
    }
    if !nested.isEmpty { members = members.flatMap { flattened($0.name, $0.value) } }
    let own = around.isEmpty ? [] : Set(members.map(\.name))
    rows.append(
      Row(location: location, values: members + around.filter { !own.contains($0.name) }))
  }

  /// Returns the values of an object as columns of their own if the map mentions one of them.
  private func flattened(
    _ name: String, _ value: SourceTree
  ) -> [(name: String, value: SourceTree)] {
    let isNested = nested.contains(String(name.prefix { $0 != "." })) && !columns.contains(name)
    guard isNested, case .members(let members) = value else { return [(name, value)] }
    return members.flatMap { flattened("\(name).\($0.name)", $0.value) }
  }

  /// Adds a row for each member of an object, or for each item of a list of names.
  private mutating func addWide(
    _ tree: SourceTree, _ list: String, _ around: [(name: String, value: SourceTree)],
    _ wide: TableMap.Wide
  ) throws(EventLogError) {
    var cells: [(location: SourceLocation, values: [(name: String, value: SourceTree)])] = []
    switch tree {
    case .members(let members):
      for (name, value) in members where !wide.kept.contains(name) {
        cells.append(
          (
            .member(file: title, list.isEmpty ? name : "\(list).\(name)"),
            [(wide.name, .json(.string(name))), (wide.value, value)]
          ))
      }
    case .list(let items):
      for (index, item) in items.enumerated() {
        cells.append((.element(file: title, list: list, index), [(wide.name, item)]))
      }
    case .json(.null): return
    case .json, .moment, .bytes:
      throw .cannotImport(
        "\(list.isEmpty ? title : "\(title): \(list)") is neither an object nor a list.",
        file: title)
    }
    for (location, values) in cells {
      rows.append(
        Row(
          location: location,
          values: values + around.filter { ![wide.name, wide.value].contains($0.name) }))
    }
  }
}
