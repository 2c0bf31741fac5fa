package import EventLog

/// The parsed address of a remote in a cloud.
package enum CloudAddress: Sendable, Hashable {
  /// `firestore://PROJECT/USER`; with `?emulator=HOST:PORT` on an emulator.
  case firestore(project: String, user: String, emulator: String? = nil)
  /// `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.
  case bucket(name: String, prefix: String, endpoint: String?, region: String?)
  /// `davs://HOST/PATH`; `dav://` only on this machine.
  case webDAV(WebDAVLocation)
  /// `cloudkit://CONTAINER/ENVIRONMENT`, or `cloudkit://CONTAINER/ENVIRONMENT/ZONE`.
  case cloudKit(CloudKitLocation)

  /// Parses an address. Spaces and non-ASCII letters needn't be encoded.
  ///
  /// - Throws: `usage` if the address is invalid or contains a secret, because addresses are shown
  ///   and stored.
  package init(_ text: String) throws(EventLogError) {
    guard let separator = text.firstRange(of: "://") else {
      throw .cloud(text, "is not the address of a cloud", "For example: s3://bucket/ada")
    }
    let scheme = text[..<separator.lowerBound].lowercased()
    let (path, query) = Self.split(text[separator.upperBound...], at: "?")
    if path.split(separator: "/").first?.contains("@") ?? false {
      throw .cloud("\(scheme)://…", AddressError.credentials)
    }
    switch scheme {
    case "firestore": self = try Self.firestore(text, path, query)
    case "s3": self = try Self.bucket(path, query)
    case "davs", "dav": self = try Self.webDAV(text, scheme)
    case "cloudkit": self = try Self.cloudKit(path, query)
    default:
      throw .cloud(text, "is not the address of a cloud", "For example: s3://bucket/ada")
    }
  }

  /// Whether both addresses lead to the same remote. The region of a bucket is ignored.
  package func isSameRemote(as other: CloudAddress) -> Bool { withoutRegion == other.withoutRegion }

  private var withoutRegion: CloudAddress {
    guard case .bucket(let name, let prefix, let endpoint, let region) = self else { return self }
    let location = BucketLocation(
      bucket: name, prefix: prefix, region: region ?? "", endpoint: endpoint)
    return .bucket(name: name, prefix: location.keyPrefix, endpoint: location.endpoint, region: nil)
  }

  private static func split(
    _ text: Substring, at separator: Character
  ) -> (path: Substring, rest: Substring) {
    guard let index = text.firstIndex(of: separator) else { return (text, "") }
    return (text[..<index], text[text.index(after: index)...])
  }

  private static func firestore(
    _ text: String, _ path: Substring, _ query: Substring
  ) throws(EventLogError) -> CloudAddress {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isHost(parts[0]) else {
      throw .cloud(
        text, "doesn't name a project and a user",
        "A Firestore address is firestore://PROJECT/USER.")
    }
    let user = try decode(parts[1], of: text)
    guard !user.contains("/") else {
      throw .cloud(
        text, "names a user with a slash", "A Firestore address is firestore://PROJECT/USER.")
    }
    let (key, host) = split(query, at: "=")
    guard query.isEmpty || key == "emulator" && isHost(host) else {
      throw .cloud(
        "firestore://\(path)", "has a parameter that is not emulator=HOST:PORT",
        "Only an emulator can be named there.")
    }
    return .firestore(
      project: String(parts[0]), user: user, emulator: host.isEmpty ? nil : String(host))
  }

  /// Whether all characters are valid in a host name or IP address with a port.
  static func isHost(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func bucket(
    _ path: Substring, _ query: Substring
  ) throws(EventLogError) -> CloudAddress {
    let (name, path) = split(path, at: "/")
    let text = "s3://\(name)/\(path)"
    var (endpoint, region): (String?, String?)
    for pair in query.split(separator: "&") {
      let (key, value) = split(pair, at: "=")
      switch key {
      case "endpoint": endpoint = try decode(value, of: text)
      case "region": region = try decode(value, of: text)
      default:
        throw .cloud(
          text, "has the unknown parameter \"\(SafeText.quote(String(key)))\"",
          "Only endpoint and region can be named there. Secrets come from the environment, or"
            + " from ~/.aws/credentials.")
      }
    }
    guard isBucket(name) else {
      throw .cloud(text, "doesn't name a bucket", "An S3 address is s3://BUCKET/PREFIX.")
    }
    let prefix = try decode(path, of: text)
    if let endpoint, let error = endpointError(endpoint) {
      throw .cloud(text, "has an endpoint that \(error.predicate)", error.hint)
    }
    return .bucket(name: String(name), prefix: prefix, endpoint: endpoint, region: region)
  }

  private static func decode(
    _ path: Substring, of text: String
  ) throws(EventLogError) -> String {
    do throws(AddressError) { return try AddressPath.decode(path) } catch {
      throw .cloud(text, error)
    }
  }

  private static func isBucket(_ name: Substring) -> Bool { isName(name, bytes: 3...63) }

  /// Whether a name has only letters, digits, dots, hyphens and underscores.
  private static func isName(_ name: some StringProtocol, bytes: ClosedRange<Int>) -> Bool {
    bytes.contains(name.utf8.count)
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Validates the address of an S3 server. Returns the predicate of an error sentence and a hint,
  /// or nil if the address is valid.
  static func endpointError(_ text: String) -> (predicate: String, hint: String)? {
    do throws(AddressError) {
      _ = try ServerAddress(text)
      return nil
    } catch {
      switch error {
      case .noServer:
        return ("is no address of a server", "For example: https://objects.example.org")
      case .unencrypted:
        return (error.predicate, "Use https://. http:// is for servers on this machine only.")
      default: return (error.predicate, error.hint)
      }
    }
  }

  private static func webDAV(
    _ text: String, _ scheme: String
  ) throws(EventLogError) -> CloudAddress {
    let url = (scheme == "davs" ? "https" : "http") + text.dropFirst(scheme.utf8.count)
    do throws(AddressError) { return .webDAV(try WebDAVLocation(reading: url)) } catch {
      throw .cloud(text, error)
    }
  }
}

extension CloudAddress {
  private static func cloudKit(
    _ path: Substring, _ query: Substring
  ) throws(EventLogError) -> CloudAddress {
    let text = "cloudkit://\(path)"
    guard query.isEmpty else {
      throw .cloud(
        text, "has parameters, which would be shown and kept",
        "Leave them out: tokens come from the environment, and from a file.")
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(parts.count), parts[0].hasPrefix("iCloud."),
      parts.allSatisfy(isCloudKitName), parts.count == 2 || !parts[2].hasPrefix("_")
    else {
      throw .cloud(
        text, "doesn't name a container and an environment",
        "A CloudKit address is cloudkit://CONTAINER/ENVIRONMENT, such as"
          + " cloudkit://iCloud.com.example.diary/development.")
    }
    guard let environment = CloudKitStorage.Environment(rawValue: parts[1]) else {
      throw .cloud(
        text, "names an environment that CloudKit doesn't have",
        "The environment is development or production.")
    }
    return .cloudKit(
      parts.count == 2
        ? CloudKitLocation(container: parts[0], environment: environment)
        : CloudKitLocation(container: parts[0], environment: environment, zone: parts[2]))
  }

  private static func isCloudKitName(_ name: String) -> Bool { isName(name, bytes: 1...255) }
}

extension EventLogError {
  fileprivate static func cloud(_ address: String, _ error: AddressError) -> EventLogError {
    cloud(address, error.predicate, error.hint)
  }

  fileprivate static func cloud(_ address: String, _ error: String, _ hint: String) -> EventLogError
  {
    EventLogError(
      .usage, "\"\(SafeText.quote(address))\" \(error). Nothing was changed.", hint: hint)
  }
}
