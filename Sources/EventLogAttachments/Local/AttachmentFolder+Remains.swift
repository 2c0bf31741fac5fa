import EventLog

extension AttachmentFolder {
  /// The age in nanoseconds at which a temporary file is removed.
  ///
  /// Attaching takes minutes at most.
  private static let remainsAge: Int64 = 24 * 3_600_000_000_000

  /// Removes what interrupted work has left: parts of contents that are here by now, and temporary
  /// files that are a day older than the newest file. Errors are ignored, and the next call tries
  /// again.
  func removeRemains() {
    let names = (try? fileSystem.contents(of: path)) ?? []
    var ages: [(name: String, modified: Int64)] = []
    for name in names where !ContentHashes.isHash(name) {
      if name.hasSuffix(".part") {
        removePart(of: String(name.dropLast(5)))
      } else if Path.isTemporary(name), let status = try? fileSystem.status(at: file(of: name)) {
        ages.append((name, status.modified))
      }
    }
    if ages.isEmpty { return }
    let statuses = names.compactMap { try? fileSystem.status(at: file(of: $0)) }
    let newest = statuses.map(\.modified).max() ?? 0
    for (name, modified) in ages where modified < newest - Self.remainsAge {
      try? fileSystem.remove(file(of: name))
    }
  }

  /// Removes the parts of a content that is here, unless a process is fetching it.
  private func removePart(of sha256: String) {
    guard ContentHashes.isHash(sha256), (try? fileSystem.status(at: file(of: sha256))) != nil,
      let part = try? fileSystem.open(partialFile(of: sha256), .readWrite)
    else { return }
    defer { fileSystem.close(part) }
    guard (try? fileSystem.tryLock(part, exclusive: true)) ?? false,
      (try? hash(of: file(of: sha256))) == sha256
    else { return }
    try? fileSystem.remove(partialFile(of: sha256))
  }
}
