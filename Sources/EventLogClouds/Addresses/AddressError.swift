/// The reason why an address is invalid.
enum AddressError: Error, Hashable, CaseIterable {
  case noServer, unencrypted, credentials, query, fragment, invalidEscape, notUTF8, dotSegments,
    control
  case encodedControl

  /// The predicate of the error sentence, whose subject is the address.
  var predicate: String {
    switch self {
    case .noServer: "doesn't name a server and folder"
    case .unencrypted: "would send everything unencrypted"
    case .credentials: "contains a name or password"
    case .query: "contains a question mark, which ends a path"
    case .fragment: "contains a #, which ends an address"
    case .invalidEscape: "contains a % that isn't followed by two hexadecimal digits"
    case .notUTF8: "contains a name that isn't UTF-8"
    case .dotSegments: "contains . or .. as the name of a folder"
    case .control: "contains control characters"
    case .encodedControl: "contains a % that encodes a control character"
    }
  }

  var hint: String {
    switch self {
    case .noServer: "A WebDAV address is davs://HOST/PATH."
    case .unencrypted:
      "Use davs:// or https://. Only on this machine itself can dav:// or http:// be used."
    case .credentials: "Leave it out: credentials come from the environment, or from a file."
    case .query: "If it belongs to a name, write %3F."
    case .fragment: "If it belongs to a name, write %23."
    case .invalidEscape: "If it belongs to a name, write %25."
    case .notUTF8: "Rename the folder, or correct what follows %."
    case .dotSegments: "Name the folder without them."
    case .control: "Copy the address again."
    case .encodedControl: "Correct what follows %. The names of remotes have none."
    }
  }
}
