// Two things at once, for whoever has to wait for both.

extension SerialWorker {
  /// Does one thing on the worker while the caller does another; returns when both are done.
  ///
  /// - Throws: what either throws; of two errors that of the worker.
  package func both<There: Sendable, Here, Failure: Error>(
    there: @escaping @Sendable () throws(Failure) -> There,
    here: () throws(Failure) -> Here
  ) throws(Failure) -> (there: There, here: Here) {
    let answer = BoundedQueue<Result<There, Failure>>(capacity: 1)
    run { answer.put(Result(catching: there)) }
    let here = Result(catching: here)
    let there = answer.take()
    return (try there.get(), try here.get())
  }
}
