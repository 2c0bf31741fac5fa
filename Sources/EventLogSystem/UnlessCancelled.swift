import Synchronization

/// Waits for the result of the body; nil as soon as the task is canceled, even if the body
/// continues.
package func unlessCancelled<Value: Sendable>(
  _ body: @escaping @Sendable () async -> Value
) async -> Value? {
  let answer = FirstAnswer<Value>()
  let work = Task { answer.give(await body()) }
  return await withTaskCancellationHandler {
    await answer.value
  } onCancel: {
    work.cancel()
    answer.give(nil)
  }
}

/// Passes the first of several answers to one waiting task.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value?, Never>)
    case answered(Value?)
  }

  private let state = Mutex(State.open)

  func give(_ value: Value?) {
    let waiting: CheckedContinuation<Value?, Never>? = state.withLock { state in
      switch state {
      case .answered: return nil
      case .open:
        state = .answered(value)
        return nil
      case .waiting(let continuation):
        state = .answered(value)
        return continuation
      }
    }
    waiting?.resume(returning: value)
  }

  var value: Value? {
    get async {
      await withCheckedContinuation { continuation in
        let answer: Value?? = state.withLock { state in
          if case .answered(let value) = state { return .some(value) }
          state = .waiting(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    }
  }
}
