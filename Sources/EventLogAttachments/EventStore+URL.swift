public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
  /// Stores data as an attachment, to be written to a field.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - type: The media type, such as `image/jpeg`.
  ///   - name: The name of the file, as a label.
  ///   - remotes: The remotes that the attachment will be sent to.
  ///   - options: The limit, and whether to keep the position.
  /// - Throws: The errors of ``attach(_:type:name:for:options:)``.
  public func attach(
    _ data: Data, type: String, name: String? = nil, for remotes: [any Remote] = [],
    options: AttachmentOptions = AttachmentOptions()
  ) async throws(EventLogError) -> Attachment {
    try await attach(
      Array(data), type: type, name: name, for: remotes, options: options)
  }

  /// Stores the content of a file as an attachment, to be written to a field.
  ///
  /// - Parameters:
  ///   - url: The file URL of a regular file.
  ///   - type: The media type, or `nil` for that of the file's name.
  ///   - remotes: The remotes that the attachment will be sent to.
  ///   - options: The limit, and whether to keep the position.
  /// - Throws: The errors of ``attach(fileAt:type:for:options:)``.
  public func attach(
    _ url: URL, type: String? = nil, for remotes: [any Remote] = [],
    options: AttachmentOptions = AttachmentOptions()
  ) async throws(EventLogError) -> Attachment {
    try await attach(fileAt: url.path, type: type, for: remotes, options: options)
  }
}

extension Attachments {
  /// Returns the file URL of an attachment's content, which is fetched if it isn't here.
  ///
  /// - Parameter attachment: The attachment.
  /// - Throws: The errors of ``file(of:)``.
  public func url(of attachment: Attachment) async throws(EventLogError) -> URL {
    URL(fileURLWithPath: try await file(of: attachment))
  }
}
