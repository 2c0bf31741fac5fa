#if THREAD_SANITIZER
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// Replaces the standard library's `Mutex` under the thread sanitizer, which doesn't recognize
  /// that and reports everything it guards.
  ///
  /// Only `.ci/sanitize thread` builds with it.
  package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
      lock = .allocate(capacity: 1)
      pthread_mutex_init(lock, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }

    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      if pthread_mutex_trylock(lock) != 0 { return nil }
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }

  typealias Mutex<Value: ~Copyable> = SanitizedMutex<Value>
#endif
