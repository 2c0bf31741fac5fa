/// The location of a user's objects.
package struct FirestoreLocation: Sendable, Hashable {
  package var project: String
  package var user: String
  /// `HOST:PORT` of an emulator.
  package var emulator: String?

  package init(project: String, user: String, emulator: String? = nil) {
    (self.project, self.user, self.emulator) = (project, user, emulator)
  }

  /// The address. It includes the emulator, so that an emulator and the real database don't share
  /// records.
  package var address: String {
    "firestore://\(project)/\(PercentEncoding.encode(user, keeping: AddressPath.plain))"
      + (emulator.map { "?emulator=\($0)" } ?? "")
  }

  /// The URL of the service.
  var host: String { emulator.map { "http://\($0)" } ?? "https://firestore.googleapis.com" }
}
