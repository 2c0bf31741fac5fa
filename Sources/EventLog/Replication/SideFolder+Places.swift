extension SideFolder {
  /// What is known of a remote; nothing where no run has been noted.
  ///
  /// - Throws: `inputOutput` if it cannot be known: a status would say that nothing was noted.
  func place(_ remote: String) throws(EventLogError) -> PlaceRecord? {
    guard let place = try readPlace(path(of: remote, "place")) else { return nil }
    return place.remote.hasBytes(of: remote) ? place.record : nil
  }

  /// Keeps what is known of a remote. Where that fails, what was known before stays.
  func keep(_ record: PlaceRecord, of remote: String, evenAlone isAlone: Bool = false) {
    keep(.object(record.json), as: "place", in: "place", of: remote, evenAlone: isAlone)
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
    ((try? place(remote)) ?? nil) != nil
      || ((try? remotes) ?? []).contains { $0.hasBytes(of: remote) }
  }

  /// Takes note of a failure of a remote.
  ///
  /// - Parameter isKnown: whether it is one of the journal's; where nobody says so, it has to be
  ///   remembered or to have answered before: a slip of the hand makes no place.
  func note(
    _ error: EventLogError, of remote: String, at time: Timestamp, isKnown: Bool = false
  ) {
    guard isKnown || isPlace(remote) else { return }
    do throws(EventLogError) {
      var record = try place(remote) ?? PlaceRecord()
      record.note(error, at: time)
      // A new journal's place may fail at its first sync.
      keep(record, of: remote, evenAlone: isKnown)
    } catch {
      // What was known before stays: it may be readable again.
    }
  }

  /// Forgets what is known of a remote.
  func forgetPlace(_ remote: String) {
    for kind in ["place", "remote", "replicator"] {
      try? fileSystem.remove(path(of: remote, kind))
    }
  }

  /// The addresses of all remotes of which something is known, sorted by bytes.
  ///
  /// - Throws: `inputOutput` if they cannot be known.
  var placesKnown: [String] {
    get throws(EventLogError) {
      var names: [String] = []
      do throws(Errno) { names = try fileSystem.contents(of: cachePath) } catch {
        if Self.isNone(error) { return [] }
        throw .inputOutput("read", cachePath, error, meaning: "Nothing was changed.")
      }
      var addresses: [String] = []
      for name in names where name.hasPrefix("place-") {
        guard let place = try readPlace(Path.join(cachePath, name)) else { continue }
        addresses.append(place.remote)
      }
      return addresses.sorted { $0.precedes($1) }
    }
  }

  private func readPlace(
    _ path: String
  ) throws(EventLogError) -> (remote: String, record: PlaceRecord)? {
    var bytes: [UInt8] = []
    do throws(Errno) {
      bytes = try fileSystem.contents(ofFile: path, maximumBytes: 16 << 20)
    } catch {
      if Self.isNone(error) { return nil }
      throw .inputOutput(
        "read", path, error, meaning: "Nothing was changed.",
        // What passes by itself, or is a matter of permissions, is no reason to delete anything.
        hint: [.inputOutput, .isDirectory, .symlinkLoop].contains(error)
          ? "You can delete it; the next sync writes it again." : nil)
    }
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      case .string(let address)? = object["remote"], case .object(let place)? = object["place"]
    else { return nil }
    return (address, PlaceRecord(place))
  }
}
