extension SideFolder {
  /// The record of a remote, or nil if no sync was recorded.
  ///
  /// - Throws: `inputOutput` if the file can't be read. Otherwise, a status would report that there
  ///   was no sync.
  package func remoteRecord(of remote: String) throws(EventLogError) -> RemoteRecord? {
    guard let found = try readRecord(path(of: remote, "place")) else { return nil }
    return found.remote.hasBytes(of: remote) ? found.record : nil
  }

  /// Saves the record of a remote.
  ///
  /// On failure, the previous one remains.
  func keep(_ record: RemoteRecord, of remote: String, evenAlone isAlone: Bool = false) {
    keep(.object(record.json), as: "place", in: "place", of: remote, evenAlone: isAlone)
  }

  /// Records a successful sync.
  func note(
    _ success: RemoteRecord.Success, of remote: String, at time: Timestamp,
    evenIfNew isNew: Bool
  ) {
    guard isNew || isRemote(remote) else { return }
    var record = RemoteRecord()
    record.success = success
    record.success?.at = time
    keep(record, of: remote)
  }

  /// Whether a remote is known to be one of the journal's.
  private func isRemote(_ remote: String) -> Bool {
    ((try? remoteRecord(of: remote)) ?? nil) != nil
      || ((try? remotes) ?? []).contains { $0.hasBytes(of: remote) }
  }

  /// Records a failure of a remote.
  ///
  /// - Parameter isKnown: Whether it is one of the journal's. If not stated, it must have been
  ///   recorded or have synced before, so that a mistyped address isn't recorded.
  package func note(
    _ error: EventLogError, of remote: String, at time: Timestamp, isKnown: Bool = false
  ) {
    guard isKnown || isRemote(remote) else { return }
    do throws(EventLogError) {
      var record = try remoteRecord(of: remote) ?? RemoteRecord()
      record.note(error, at: time)
      // A new journal's remote may fail at its first sync.
      keep(record, of: remote, evenAlone: isKnown)
    } catch {
      // The previous record remains. It may be readable again later.
    }
  }

  /// The addresses of all recorded remotes, sorted by bytes.
  ///
  /// - Throws: `inputOutput` if they can't be read.
  package var recordedRemotes: [String] {
    get throws(EventLogError) {
      var names: [String] = []
      do throws(Errno) { names = try fileSystem.contents(of: cachePath) } catch {
        if Self.isNone(error) { return [] }
        throw .inputOutput("read", cachePath, error, meaning: "Nothing was changed.")
      }
      var addresses: [String] = []
      for name in names where name.hasPrefix("place-") {
        guard let found = try readRecord(Path.join(cachePath, name)) else { continue }
        addresses.append(found.remote)
      }
      return addresses.sorted { $0.precedes($1) }
    }
  }

  private func readRecord(
    _ path: String
  ) throws(EventLogError) -> (remote: String, record: RemoteRecord)? {
    var bytes: [UInt8] = []
    do throws(Errno) {
      bytes = try fileSystem.contents(ofFile: path, maximumBytes: 16 << 20)
    } catch {
      if Self.isNone(error) { return nil }
      throw .inputOutput(
        "read", path, error, meaning: "Nothing was changed.",
        // Don't suggest deleting the file for temporary errors or missing permissions.
        hint: [.inputOutput, .isDirectory, .symlinkLoop].contains(error)
          ? "You can delete it; the next sync writes it again." : nil)
    }
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      case .string(let address)? = object["remote"], case .object(let record)? = object["place"]
    else { return nil }
    return (address, RemoteRecord(record))
  }
}
