package import EventLog

extension AccountsFile {
  static let name = "accounts.json"
  /// The maximum size in bytes, which is far beyond that of any real file.
  static let bytesMax = 1 << 22

  package var encoded: [UInt8] {
    var members: [JSONObject.Member] = [.init(name: "version", value: 1)]
    if let current { members.append(.init(name: "current", value: .string(current))) }
    members.append(.init(name: "journals", value: .array(entries.map(\.json))))
    if !removing.isEmpty {
      members.append(.init(name: "removing", value: .array(removing.map(\.json))))
    }
    var bytes: [UInt8] = []
    JSONValue.object(JSONObject(members)).write(to: &bytes)
    return bytes + [0x0A]
  }

  /// - Throws: `invalidInput` for bytes that are damaged, foreign, or of a later version.
  package init(_ bytes: [UInt8], at path: String) throws(EventLogError) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      let version = object["version"]?.integer
    else { throw Self.foreign(path) }
    guard version == 1 else {
      throw EventLogError(
        .invalidInput,
        "\"\(path)\" was written by a later version of Eventlog. Nothing was changed.",
        hint: "Update the app.", at: .init(file: path))
    }
    guard let read = Self(object), read.isConsistent else { throw Self.foreign(path) }
    self = read
  }

  private static func foreign(_ path: String) -> EventLogError {
    EventLogError(
      .invalidInput,
      "\"\(path)\" is cut off or was not written by Eventlog. Nothing was changed.",
      hint: "Move it away: it is made anew from the journals beside it, and nobody is signed in"
        + " then.", at: .init(file: path))
  }

  private init?(_ object: JSONObject) {
    if let value = object["current"] {
      guard let user = value.text else { return nil }
      current = user
    }
    guard case .array(let journals)? = object["journals"] else { return nil }
    for journal in journals {
      guard case .object(let members) = journal, let entry = Entry(members) else { return nil }
      entries.append(entry)
    }
    if let value = object["removing"] {
      guard case .array(let removals) = value else { return nil }
      for removal in removals {
        guard let removal = Removal(removal) else { return nil }
        removing.append(removal)
      }
    }
  }
}

extension AccountsFile.Removal {
  /// The name of a journal that is removed in any case, or else the journal's entry and size.
  fileprivate var json: JSONValue {
    guard let bytes else { return .string(file) }
    return .object(
      JSONObject(entry.members + [.init(name: "bytes", value: .number(JSONNumber(bytes)))]))
  }

  fileprivate init?(_ value: JSONValue) {
    switch value {
    case .string(let file): self.init(entry: .init(file: file, user: ""), bytes: nil)
    case .object(let object):
      guard let entry = AccountsFile.Entry(object), let bytes = object["bytes"]?.integer, bytes >= 0
      else { return nil }
      self.init(entry: entry, bytes: bytes)
    default: return nil
    }
  }
}

extension AccountsFile.Entry {
  fileprivate var json: JSONValue { .object(JSONObject(members)) }

  fileprivate var members: [JSONObject.Member] {
    var members: [JSONObject.Member] = [
      .init(name: "file", value: .string(file)), .init(name: "user", value: .string(user)),
    ]
    if isAnonymous { members.append(.init(name: "anonymous", value: .bool(true))) }
    if isRestoring { members.append(.init(name: "restoring", value: .bool(true))) }
    switch adoption {
    case nil: break
    case .begun(let account, let isAnonymous, let claims):
      var claim: [JSONObject.Member] = [.init(name: "by", value: .string(account))]
      if isAnonymous { claim.append(.init(name: "anonymous", value: .bool(true))) }
      if !claims.isEmpty {
        claim.append(.init(name: "claims", value: .array(claims.map { .string($0) })))
      }
      members.append(.init(name: "adopting", value: .object(JSONObject(claim))))
    case .done(let account, let bytes):
      let done: [JSONObject.Member] = [
        .init(name: "by", value: .string(account)),
        .init(name: "bytes", value: .number(JSONNumber(bytes))),
      ]
      members.append(.init(name: "adopted", value: .object(JSONObject(done))))
    }
    if let choice {
      let chosen: [JSONObject.Member] = [
        .init(name: "places", value: .string(choice.providers.text)),
        .init(name: "at", value: .string(choice.at.description)),
      ]
      members.append(.init(name: "choice", value: .object(JSONObject(chosen))))
    }
    return members
  }

  fileprivate init?(_ object: JSONObject) {
    guard let file = object["file"]?.text, let user = object["user"]?.text else { return nil }
    self.init(file: file, user: user)
    isAnonymous = object["anonymous"] == .bool(true)
    isRestoring = object["restoring"] == .bool(true)
    if let value = object["adopting"] {
      guard case .object(let claim) = value, let account = claim["by"]?.text else { return nil }
      guard let claims = (claim["claims"] ?? .array([])).texts else { return nil }
      adoption = .begun(
        by: account, isAnonymous: claim["anonymous"] == .bool(true), claims: claims)
    }
    if let value = object["adopted"] {
      guard adoption == nil, case .object(let done) = value, let account = done["by"]?.text,
        let bytes = done["bytes"]?.integer, bytes >= 0
      else { return nil }
      adoption = .done(by: account, bytes: bytes)
    }
    if let value = object["choice"] {
      guard case .object(let chosen) = value,
        let providers = chosen["places"]?.text.flatMap(ProviderChoice.init(text:)),
        let at = chosen["at"]?.text.flatMap({ Timestamp($0) })
      else { return nil }
      choice = .init(providers: providers, at: at)
    }
  }
}

extension ProviderChoice {
  private static let onlyPrefix = "only:"

  fileprivate var text: String {
    switch self {
    case .automatic: "automatic"
    case .local: "local"
    case .only(let name): Self.onlyPrefix + name
    }
  }

  fileprivate init?(text: String) {
    switch text {
    case "automatic": self = .automatic
    case "local": self = .local
    default:
      guard text.hasPrefix(Self.onlyPrefix) else { return nil }
      self = .only(String(text.dropFirst(Self.onlyPrefix.count)))
    }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  /// The elements of an array of strings, or nil for any other value.
  fileprivate var texts: [String]? {
    guard case .array(let values) = self else { return nil }
    let texts = values.compactMap(\.text)
    return texts.count == values.count ? texts : nil
  }
  fileprivate var integer: Int64? {
    if case .number(let number) = self { number.integer } else { nil }
  }
}
