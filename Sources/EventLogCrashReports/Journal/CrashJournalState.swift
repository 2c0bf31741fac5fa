import EventLog

/// The contents of `crashes.json`.
struct CrashJournalState: Sendable, Hashable {
  /// A journal, by the name of its user.
  struct Entry: Sendable, Hashable {
    var user: String
    var created: Timestamp

    var file: String { user + ".jsonl" }
  }

  static let name = "crashes.json"
  static let bytesMax = 1 << 20

  var consent = Consent.undecided
  /// The journals, the current one last.
  var entries: [Entry] = []
  /// The IDs of the reports that some place has.
  var uploaded: Set<String> = []

  var bytes: [UInt8] {
    let entries = entries.map { entry -> JSONValue in
      ["user": .string(entry.user), "created": .string(entry.created.description)]
    }
    let object: JSONValue = [
      "version": 1, "consent": .string(consent.rawValue), "journals": .array(entries),
      "uploaded": .array(uploaded.sorted().map { .string($0) }),
    ]
    return Array((object.text + "\n").utf8)
  }

  init() {}

  /// - Throws: `invalidInput` for bytes that are damaged, foreign, or of a later version.
  init(_ bytes: [UInt8], at path: String) throws(EventLogError) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      object["version"]?.integer == 1,
      let consent = object["consent"]?.plainText.flatMap(Consent.init),
      let entries = object["journals"]?.list(Self.entry),
      let uploaded = object["uploaded"]?.list(\.plainText)
    else {
      throw EventLogError(
        .invalidInput,
        "\"\(path)\" is damaged or of a later version. Nothing was changed.",
        hint: "Move it away: it is made again, and the person is asked for consent again.",
        at: .init(file: path))
    }
    (self.consent, self.entries, self.uploaded) = (consent, entries, Set(uploaded))
  }

  private static func entry(_ value: JSONValue) -> Entry? {
    guard case .object(let object) = value, let user = object["user"]?.plainText,
      isUser(user), let created = object["created"]?.plainText.flatMap({ Timestamp($0) })
    else { return nil }
    return Entry(user: user, created: created)
  }

  /// Whether a name has the form of a user of crash reports, which is also the name of a file.
  static func isUser(_ name: String) -> Bool {
    name.hasPrefix(userPrefix) && (1...32).contains(name.utf8.count - userPrefix.utf8.count)
      && name.utf8.dropFirst(userPrefix.utf8.count).allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
      }
  }

  static let userPrefix = "crash-"
}

extension CrashReport {
  /// Whether a name has the form of a user of crash reports, or of that user's part of a place.
  package static func isUser(_ name: String) -> Bool { CrashJournalState.isUser(name) }
}
