package import EventLog

extension WebDAVStorage: RetryingStorage {
  package func forOneRun() -> any ObjectStorage {
    var storage = self
    storage.client = client.forOneRun()
    return storage
  }
}
