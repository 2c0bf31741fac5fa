/// The limits on the contents of a remote.
enum CloudLimits {
  /// The maximum size of an object, in bytes.
  ///
  /// Ranges and frontiers are smaller.
  static let objectBytesMax = 64 << 20
  /// The maximum number of objects.
  ///
  /// A remote that lists more is refused.
  static let listedCountMax = 1 << 20
  /// The maximum number of pages in a listing, in case pages are empty.
  static let listedPagesMax = 1 << 13
  /// The maximum length of a name, in bytes.
  ///
  /// S3 and Firestore refuse longer ones.
  static let nameBytesMax = 1500
}
