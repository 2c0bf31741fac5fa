/// The limits and the policy for attachments of a store.
public struct AttachmentOptions: Sendable, Hashable {
  /// The maximum size of an attachment in bytes.
  ///
  /// It applies to what is attached here, and to contents that are fetched without being asked for.
  public var bytesMax: Int64
  /// Whether images and videos keep the position at which they were taken.
  ///
  /// If not, the stored copy doesn't contain it. Your file stays as it is.
  public var keepsPosition: Bool
  /// The attachments that are fetched without being asked for.
  public var fetching: Fetching

  /// The attachments that a device fetches without being asked, the newest first.
  public enum Fetching: Sendable, Hashable {
    /// Everything that the state names.
    case all
    /// Nothing: only what the app asks for.
    case onDemand
    /// As long as the attachments here have at most this many bytes together.
    ///
    /// At the end of a sync, the least recently used ones are removed here until this is so, also
    /// those that were attached here, and those that the app has asked for. Only a content that a
    /// place has proved to have goes: all its bytes were read from there, and have its hash. While
    /// no place has proved that, there can be more bytes here.
    case upTo(bytes: Int64)
  }

  /// Creates options.
  ///
  /// - Parameters:
  ///   - bytesMax: The maximum size of an attachment in bytes; 64 MiB by default.
  ///   - keepsPosition: Whether images and videos keep the position at which they were taken.
  ///   - fetching: The attachments that are fetched without being asked for.
  public init(
    bytesMax: Int64 = 64 << 20, keepsPosition: Bool = false, fetching: Fetching = .all
  ) {
    (self.bytesMax, self.keepsPosition, self.fetching) = (bytesMax, keepsPosition, fetching)
  }
}
