package import EventLog
import EventLogRemotes

/// The attachments at a remote, whatever the events name.
package struct PlacedAttachments {
  private let place: AttachmentPlace
  private let listing: AttachmentListing

  /// Lists the attachments. A remote that keeps none has no contents.
  ///
  /// - Throws: The error of the remote.
  package init?(at remote: some Remote) async throws(EventLogError) {
    guard let place = AttachmentPlace(remote) else { return nil }
    (self.place, listing) = (place, try await AttachmentListing(of: place.storage))
  }

  /// The SHA-256 of each content of which there is a part, sorted.
  package var contents: [String] { listing.contents }

  /// Passes on the bytes of a content, one part after another.
  ///
  /// A part that was removed meanwhile is left out.
  ///
  /// - Throws: The error of the remote.
  package func read(
    _ sha256: String, _ body: ([UInt8]) -> Void
  ) async throws(EventLogError) {
    for part in listing.parts(of: sha256) {
      try EventLogError.checkCancellation()
      if let bytes = try await place.storage.read(part.name) { body(bytes) }
    }
  }
}
