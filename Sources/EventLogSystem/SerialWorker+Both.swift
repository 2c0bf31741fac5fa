extension SerialWorker {
  /// Runs one closure on the worker and another on this thread; returns when both are done.
  ///
  /// - Throws: The error of either; if both throw, that of the worker.
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
