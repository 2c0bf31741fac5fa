#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JournalRemote {
  /// Creates a remote for a journal's file.
  ///
  /// - Parameters:
  ///   - url: The file URL of the journal. A sync that sends events creates the file if it doesn't
  ///     exist.
  ///   - options: How to access the journal, such as the time to wait for its lock. The user is
  ///     ignored.
  public init(_ url: URL, options: JournalOptions = JournalOptions()) {
    self.init(path: url.path, options: options)
  }
}
