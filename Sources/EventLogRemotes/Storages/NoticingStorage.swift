/// A storage with messages for the user.
package protocol NoticingStorage: ObjectStorage {
  /// Messages for the user about the last listing.
  var notices: [String] { get }
}
