/// What the system calls this machine.
package enum HostName {
  /// The name of the host up to its first dot, in lower case; `device` where it says nothing.
  package static var current: String { short(systemHostName() ?? "") }

  /// What of a host's name tells it from a person's other devices.
  static func short(_ name: String) -> String {
    let name = name.prefix { $0 != "." }.lowercased()
    // A phone has no other name for itself.
    return name.isEmpty || name == "localhost" ? "device" : name
  }
}
