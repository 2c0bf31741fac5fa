/// The limits of a storage of objects.
enum ObjectLimits {
  /// The maximum size of a range or frontier.
  ///
  /// Longer objects are ignored.
  static let bytesMax = 64 << 20
  /// The size up to which ranges are put and merged, plus one line.
  static let rangeBytes = 4 << 20
  /// The size of the parts of contents other than events.
  static let partBytes = 4 << 20
  /// The number of consecutive taken names after which a put fails.
  static let namesMax = 4
  /// The maximum number of schema files of one revision, and of those that a run reads.
  static let schemasMax = 4
  /// The maximum number of listed objects.
  ///
  /// A longer or endless listing is an error.
  static let listedCountMax = 1 << 20
  /// The maximum number of pages, for a storage that lists few objects in each.
  static let listedPagesMax = 1 << 13
  /// The maximum size of all listed names together.
  static let listedBytesMax = 256 << 20
  /// The maximum size of all frontiers together, since they are kept in memory during a run.
  static let frontierBytesMax = 256 << 20
}
