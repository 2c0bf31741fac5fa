public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FolderRemote {
  /// Creates a remote for a shared folder.
  ///
  /// - Parameters:
  ///   - url: The file URL of the folder. The first sync that sends events creates the folder, if
  ///     its parent folder exists.
  ///   - options: Options for tests. Only their disk and randomness are used.
  public init(_ url: URL, options: JournalOptions = JournalOptions()) {
    self.init(path: url.path, options: options)
  }
}
