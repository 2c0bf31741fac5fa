// How two threads of one reading hand work to each other.

import Dispatch
import Synchronization

/// A queue of at most so many elements; who puts or takes waits until it can.
package final class BoundedQueue<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let filled = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)

  /// The semaphore is raised from 0: one that is let go of below its first value traps.
  package init(capacity: Int) { for _ in 0..<capacity { room.signal() } }

  /// Waits for room, then adds an element behind the others.
  package func put(_ element: Element) {
    room.wait()
    elements.withLock { $0.append(element) }
    filled.signal()
  }

  /// Waits for an element and takes the first.
  package func take() -> Element {
    filled.wait()
    let element = elements.withLock { $0.removeFirst() }
    room.signal()
    return element
  }
}

/// How many processors the machine has in use.
package func processorCount() -> Int { systemProcessorCount() }
