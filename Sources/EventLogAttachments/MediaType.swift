import EventLog

/// The media types of common files.
package enum MediaType {
  private static let types: [String: String] = [
    "aac": "audio/aac", "avif": "image/avif", "csv": "text/csv", "gif": "image/gif",
    "heic": "image/heic", "heif": "image/heif", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png",
    "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain",
    "wav": "audio/wav", "webp": "image/webp", "zip": "application/zip",
  ]

  /// Returns the type of a file by the ending of its name, or `application/octet-stream`.
  package static func of(fileNamed name: String) -> String {
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    return ending.flatMap { types[$0] } ?? "application/octet-stream"
  }

  /// Whether a text is a type and a subtype, such as `image/jpeg`.
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return text.utf8.count <= 127 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
