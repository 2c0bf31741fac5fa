/// The name of this machine.
package enum HostName {
  /// The host name up to its first dot, in lower case; `device` if there is none.
  package static var current: String { short(systemHostName() ?? "") }

  /// The part of a host name that distinguishes the devices of a user.
  package static func short(_ name: String) -> String {
    let name = name.prefix { $0 != "." }.lowercased()
    // Phones have no better name.
    return name.isEmpty || name == "localhost" ? "device" : name
  }
}
