import Dispatch

/// A Dispatch source that is active until it is canceled or its last reference is released.
///
/// It is unchecked, because these calls are safe from any thread, although the protocol doesn't
/// declare it for all; nothing else of the source is accessible.
final class RunningSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Takes over and activates a source whose handlers are set.
  init(_ source: any DispatchSourceProtocol) {
    self.source = source
    // Even if it is canceled at once: Dispatch traps if an inactive source is released.
    source.activate()
  }

  deinit { source.cancel() }

  func cancel() { source.cancel() }

  /// Suspends the handler for an interval; events during it are delivered afterwards.
  func pause(_ interval: DispatchTimeInterval, on queue: DispatchQueue) {
    source.suspend()
    // The closure retains the source: Dispatch traps if a suspended source is released.
    queue.asyncAfter(deadline: .now() + interval) { self.source.resume() }
  }
}
