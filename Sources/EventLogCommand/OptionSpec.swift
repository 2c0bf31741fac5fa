/// An option of a verb.
struct OptionSpec {
  var name: String
  /// The placeholder for the value in help, or nil for a switch.
  var value: String?
  var help: String

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  /// Accepted by every verb, without being listed in `Verb.options`.
  static let quiet = OptionSpec("quiet", nil, "show no progress")
  static let json = OptionSpec("json", nil, "print the result as JSON")
  static let user = OptionSpec(
    "user", "NAME", "the journal's user, if it contains events of several users")
  static let acceptDevices = OptionSpec(
    "accept-devices", nil, "accept new device IDs beyond the limit of 1,000")
}
