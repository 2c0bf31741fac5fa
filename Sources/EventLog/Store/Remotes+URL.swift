#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FolderRemote {
  /// - Parameter url: the folder; it is made with the first events, if its own folder is there.
  public init(_ url: URL, options: JournalOptions = JournalOptions()) {
    self.init(path: url.path, options: options)
  }
}

extension JournalRemote {
  /// - Parameter url: the journal's file; it is made where there is none and events come for it.
  public init(_ url: URL, options: JournalOptions = JournalOptions()) {
    self.init(path: url.path, options: options)
  }
}
