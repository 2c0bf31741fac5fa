// Dispatch's sources, as something that can be handed around.

import Dispatch

/// A source of Dispatch that is active until it is cancelled, or until the last reference goes.
///
/// Its checking is off because these calls of a source are safe from any thread, which the protocol
/// does not say everywhere; nothing else of it can be reached.
final class RunningSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Takes over a source whose handlers are set, and activates it.
  init(_ source: any DispatchSourceProtocol) {
    self.source = source
    // Also one that is cancelled at once: a source that was never active must not be let go of.
    source.activate()
  }

  deinit { source.cancel() }

  func cancel() { source.cancel() }

  /// Has the handler left alone for so long; what happens meanwhile is told afterwards.
  func pause(_ interval: DispatchTimeInterval, on queue: DispatchQueue) {
    source.suspend()
    // It is kept until then: a source that is suspended must not be let go of.
    queue.asyncAfter(deadline: .now() + interval) { self.source.resume() }
  }
}
