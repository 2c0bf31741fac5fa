extension SerialWorker {
  /// Runs `body` on the worker and waits, suspended, for what it throws or returns.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable () throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let result: Result<Value, EventLogError> = await withCheckedContinuation { continuation in
      run { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
