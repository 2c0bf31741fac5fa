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

  /// The person's choices. Missing ones are undecided.
  var consents: [CrashRecipient: Consent] = [:]
  /// The journals, the current one last.
  var entries: [Entry] = []
  /// The IDs of the reports that each recipient has.
  var uploaded: [CrashRecipient: Set<String>] = [:]

  /// Whether a recipient has a report.
  func has(_ recipient: CrashRecipient, _ report: String) -> Bool {
    uploaded[recipient]?.contains(report) ?? false
  }

  /// Whether a recipient has a report, and no other one that may have it lacks it.
  func isUploaded(_ report: String) -> Bool {
    var isAnywhere = false
    for recipient in CrashRecipient.allCases {
      if has(recipient, report) {
        isAnywhere = true
      } else if consents[recipient] == .given {
        return false
      }
    }
    return isAnywhere
  }

  var bytes: [UInt8] {
    let entries = entries.map { entry -> JSONValue in
      ["user": .string(entry.user), "created": .string(entry.created.description)]
    }
    func members(_ value: (CrashRecipient) -> JSONValue) -> JSONValue {
      .object(
        JSONObject(CrashRecipient.allCases.map { .init(name: $0.rawValue, value: value($0)) }))
    }
    let object: JSONValue = [
      "version": 2,
      "consent": members { .string((consents[$0] ?? .undecided).rawValue) },
      "journals": .array(entries),
      "uploaded": members { .array((uploaded[$0] ?? []).sorted().map { .string($0) }) },
    ]
    return Array((object.text + "\n").utf8)
  }

  init() {}

  /// - Throws: `invalidInput` for bytes that are damaged, foreign, or of a later version.
  init(_ bytes: [UInt8], at path: String) throws(EventLogError) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      let entries = object["journals"]?.list(Self.entry),
      let recipients = Self.recipients(object)
    else {
      throw EventLogError(
        .invalidInput,
        "\"\(path)\" is damaged or of a later version. Nothing was changed.",
        hint: "Move it away: it is made again, and the person is asked for consent again.",
        at: .init(file: path))
    }
    self.entries = entries
    (consents, uploaded) = recipients
  }

  /// Returns the choices and the uploaded reports of each recipient, or nil if the form is unknown.
  private static func recipients(
    _ object: JSONObject
  ) -> (consents: [CrashRecipient: Consent], uploaded: [CrashRecipient: Set<String>])? {
    var consents: [CrashRecipient: Consent] = [:]
    var uploaded: [CrashRecipient: Set<String>] = [:]
    switch object["version"]?.integer {
    case 1:
      // One consent was for all places, and no record says which of them has a report.
      guard let consent = object["consent"]?.plainText.flatMap(Consent.init),
        object["uploaded"]?.list(\.plainText) != nil
      else { return nil }
      for recipient in CrashRecipient.allCases { consents[recipient] = consent }
    case 2:
      guard case .object(let choices)? = object["consent"],
        case .object(let reports)? = object["uploaded"]
      else { return nil }
      for recipient in CrashRecipient.allCases {
        guard let consent = choices[recipient.rawValue]?.plainText.flatMap(Consent.init),
          let ids = reports[recipient.rawValue]?.list(\.plainText)
        else { return nil }
        consents[recipient] = consent
        uploaded[recipient] = Set(ids)
      }
    default: return nil
    }
    return (consents, uploaded)
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
