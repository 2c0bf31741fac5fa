import EventLog
import Synchronization
import Testing

@testable import EventLogAccounts

/// A sign-in by the other process, which may fail because the folder is locked.
final class OtherSignIn: Sendable {
  private let result = Mutex<Result<Void, EventLogError>?>(nil)
  private let process: AccountProcess
  private let user: String

  init(_ process: AccountProcess, _ user: String) { (self.process, self.user) = (process, user) }

  func run() async {
    var ended: Result<Void, EventLogError> = .success(())
    do throws(EventLogError) { try await process.accounts.signIn(as: user) } catch {
      ended = .failure(error)
    }
    let result = ended
    self.result.withLock { $0 = result }
  }

  /// Signs in, unless `run` has succeeded. A failed `run` must have found a lock.
  func finish() async throws {
    if case .success? = result.withLock({ $0 }) { return }
    if case .failure(let error)? = result.withLock({ $0 }) {
      #expect(error.code == .locked, "\(error)")
    }
    await run()
    try result.withLock { $0 }?.get()
  }
}
