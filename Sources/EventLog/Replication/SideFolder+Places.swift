extension SideFolder {
  /// What is known of a remote; nothing where no run has been noted.
  func place(_ remote: String) -> PlaceRecord? {
    readPlace(path(of: remote, "place")).flatMap {
      $0.remote.utf8.elementsEqual(remote.utf8) ? $0.record : nil
    }
  }

  /// Keeps what is known of a remote. Where that fails, what was known before stays.
  func keep(_ record: PlaceRecord, of remote: String) {
    var bytes: [UInt8] = []
    JSONObject([
      .init(name: "place", value: .object(record.json)),
      .init(name: "remote", value: .string(remote)),
    ]).write(to: &bytes)
    _ = write(bytes + [0x0A], to: path(of: remote, "place"))
  }

  /// Takes note of a run that has come to its end.
  func note(
    _ success: PlaceRecord.Success, of remote: String, at time: Timestamp,
    evenIfNew isNew: Bool
  ) {
    guard isNew || isPlace(remote) else { return }
    var record = PlaceRecord()
    record.success = success
    record.success?.at = time
    keep(record, of: remote)
  }

  /// Whether it is known to be one of the journal's.
  private func isPlace(_ remote: String) -> Bool {
    place(remote) != nil
      || ((try? remotes) ?? []).contains { $0.utf8.elementsEqual(remote.utf8) }
  }

  /// Takes note of a failure of a remote.
  ///
  /// - Parameter isKnown: whether it is one of the journal's; where nobody says so, it has to be
  ///   remembered or to have answered before: a slip of the hand makes no place.
  func note(
    _ error: EventLogError, of remote: String, at time: Timestamp, isKnown: Bool = false
  ) {
    guard isKnown || isPlace(remote) else { return }
    var record = place(remote) ?? PlaceRecord()
    record.note(error, at: time)
    keep(record, of: remote)
  }

  /// Forgets what is known of a remote.
  func forgetPlace(_ remote: String) { try? fileSystem.remove(path(of: remote, "place")) }

  /// The addresses of all remotes of which something is known, sorted by bytes.
  var placesKnown: [String] {
    let names = (try? fileSystem.contents(of: cachePath)) ?? []
    return names.filter { $0.hasPrefix("place-") }
      .compactMap { readPlace(Path.join(cachePath, $0))?.remote }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func readPlace(_ path: String) -> (remote: String, record: PlaceRecord)? {
    guard let bytes = try? fileSystem.contents(ofFile: path, maximumBytes: 16 << 20),
      case .object(let object)? = try? JSONValue(parsing: bytes),
      case .string(let address)? = object["remote"], case .object(let place)? = object["place"]
    else { return nil }
    return (address, PlaceRecord(place))
  }
}
