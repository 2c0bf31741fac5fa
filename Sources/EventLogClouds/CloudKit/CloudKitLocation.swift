/// The location of a person's records: a zone of a private database.
package struct CloudKitLocation: Sendable, Hashable {
  package var container: String
  package var environment: CloudKitStorage.Environment
  package var zone: String

  package init(
    container: String, environment: CloudKitStorage.Environment, zone: String = "Eventlog"
  ) {
    (self.container, self.environment, self.zone) = (container, environment, zone)
  }

  /// The address, as shown to the user.
  package var address: String {
    "cloudkit://\(container)/\(environment.rawValue)" + (zone == "Eventlog" ? "" : "/\(zone)")
  }

  /// The URL of the private database, with a trailing slash.
  var base: String {
    "https://api.apple-cloudkit.com/database/1/\(PercentEncoding.encode(container))"
      + "/\(environment.rawValue)/private/"
  }
}
