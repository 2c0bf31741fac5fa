extension ObjectHistories {
  /// Looks whether the objects that hold what the visitor holds too are whole: else it is not
  /// there, and has to be put again.
  ///
  /// Names alone would hide a bad object for ever from those who hold its events, and only they can
  /// replace it.
  ///
  /// - Parameters:
  ///   - known: the keys of objects that were found whole before; what is found is added.
  ///   - round: which of them is looked at again.
  mutating func leaveOutWhatIsNotWhole(
    _ known: inout Set<String>, _ round: inout CheckRound
  ) async throws(EventLogError) {
    if let object = round.next(of: rows.filter { known.contains($0.key) }) {
      known.remove(object.key)
    }
    for device in catalog.ranges.keys.sorted() {
      for object in try await row(of: device, known) { known.insert(object.key) }
    }
  }

  /// The objects of a device that hold what the visitor holds, one behind the other; what is not
  /// whole is left out.
  private mutating func row(
    of device: DeviceID, _ known: Set<String>
  ) async throws(EventLogError) -> [ObjectCatalog.RangeObject] {
    var row: [ObjectCatalog.RangeObject] = []
    while let next = nextObject(of: device, behind: row.last) {
      if !known.contains(next.key), try await checksums(of: next) == nil { continue }
      row.append(next)
    }
    return row
  }

  /// The same by the names alone, of all devices.
  private var rows: [ObjectCatalog.RangeObject] {
    catalog.ranges.keys.flatMap { device in
      var row: [ObjectCatalog.RangeObject] = []
      while let next = nextObject(of: device, behind: row.last) { row.append(next) }
      return row
    }
  }

  private func nextObject(
    of device: DeviceID, behind last: ObjectCatalog.RangeObject?
  ) -> ObjectCatalog.RangeObject? {
    let end = last?.range.last ?? 0
    guard let own = visitor.points[device], end < own.sequence else { return nil }
    return catalog.objects(of: device, behind: end).first
  }
}
