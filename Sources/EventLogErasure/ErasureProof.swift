public import EventLog
import EventLogAttachments
import EventLogRemotes

/// The remainders of the erased events of a journal, in the files and objects that were searched.
public struct ErasureProof: Sendable {
  /// A file or object that still contains something that is erased.
  public struct Remainder: Sendable, Hashable {
    /// The path of the file, or the name of the object at its place.
    public let file: String
    /// The event whose content is left, or `nil` for a checkpoint from before an erasure, and for
    /// a text that was looked for.
    public let event: EventID?
    /// The number of the text that was found, from 1 on, or `nil`.
    public let text: Int?
  }

  /// The number of events that the journal's `event.erased` events name.
  public private(set) var erasedCount = 0
  /// The number of files and objects that were searched.
  public private(set) var fileCount = 0
  /// The remainders, in the order of the search.
  public private(set) var remainders: [Remainder] = []
  /// The search of a file of which nothing was read yet.
  private let start: ContentSearch

  /// Searches a journal's file, its side folder and its attachments.
  ///
  /// - Parameters:
  ///   - journal: The journal.
  ///   - texts: Texts that no file may contain: in UTF-8, UTF-16 or Base64, or escaped as in JSON,
  ///     composed or decomposed. In Base64, a text of less than 7 bytes may be missed.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the files.
  public init(
    _ journal: Journal, lookingFor texts: [String] = []
  ) throws(EventLogError) {
    let erasures = try journal.erasures()
    erasedCount = erasures.extents.count
    start = ContentSearch(erasures, SearchedTexts(texts))
    try search(journal.path, journal.fileSystem)
    let side = SideFolder(beside: journal.path, fileSystem: journal.fileSystem)
    var folders = [side.path] + ["quarantine", "cache"].map { Path.join(side.path, $0) }
    if start.looksForTexts {
      folders.append(AttachmentFolder(beside: journal.path, fileSystem: journal.fileSystem).path)
    }
    for path in folders {
      for name in (try? journal.fileSystem.contents(of: path)) ?? [] {
        let file = Path.join(path, name)
        guard let status = try? journal.fileSystem.status(at: file), status.kind == .regular else {
          continue
        }
        try search(file, journal.fileSystem)
      }
    }
  }

  /// The numbers, from 1 on, of texts that are so short that a search in Base64 may miss them.
  package static func mayMissInBase64(_ texts: [String]) -> [Int] {
    texts.indices.filter { !texts[$0].isEmpty && SearchedTexts.mayMissInBase64(texts[$0]) }
      .map { $0 + 1 }
  }

  /// Searches the objects with events of a place, and its attachments if texts are looked for.
  ///
  /// - Throws: `usage` for a remote that isn't a place of objects; the error of the place.
  public mutating func search(_ remote: some Remote) async throws(EventLogError) {
    guard let place = remote as? any StorageRemote else {
      throw EventLogError(
        .usage, "\"\(remote.address)\" isn't a place with files, so it can't be searched.",
        hint: "For another journal, prove that one.")
    }
    var proof = self
    try await place.readObjects { name, bytes in
      var search = proof.start
      search.read(bytes)
      proof.add(&search, of: name)
    }
    if start.looksForTexts, let attachments = try await PlacedAttachments(at: remote) {
      for content in attachments.contents {
        var search = start
        try await attachments.read(content) { search.read($0) }
        proof.add(&search, of: "attachments/\(content)")
      }
    }
    self = proof
  }

  /// The number of bytes of a file that are read at once.
  private static let pieceBytes = 4 << 20

  private mutating func search(
    _ path: String, _ fileSystem: any FileSystem
  ) throws(EventLogError) {
    do throws(Errno) {
      let file = try fileSystem.open(path, .read)
      defer { fileSystem.close(file) }
      var search = start
      var offset: Int64 = 0
      while true {
        let piece = try fileSystem.readBytes(file, at: offset, count: Self.pieceBytes)
        if piece.isEmpty { break }
        search.read(piece)
        offset += Int64(piece.count)
      }
      add(&search, of: path)
    } catch {
      throw .inputOutput("read", path, error, meaning: "It was not searched.")
    }
  }

  private mutating func add(_ search: inout ContentSearch, of name: String) {
    fileCount += 1
    let (texts, events) = search.finish()
    remainders += texts.map { Remainder(file: name, event: nil, text: $0) }
    remainders += events.map { Remainder(file: name, event: $0, text: nil) }
  }
}

extension Journal {
  /// Reads what is erased.
  func erasures() throws(EventLogError) -> Erasures {
    var none = NoEvents()
    return try read(into: &none).erasures
  }
}

/// Reads only the ledger.
private struct NoEvents: EventSink {
  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {}
}
