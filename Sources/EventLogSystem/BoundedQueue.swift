import Dispatch
import Synchronization

/// A queue of limited capacity; `put` blocks while it is full, and `take` while it is empty.
package final class BoundedQueue<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let filled = DispatchSemaphore(value: 0)
  private let freeSlots = DispatchSemaphore(value: 0)

  /// Raises the semaphore from 0: Dispatch traps if it is released below its initial value.
  package init(capacity: Int) { for _ in 0..<capacity { freeSlots.signal() } }

  /// Appends an element, after waiting until the queue isn't full.
  package func put(_ element: Element) {
    freeSlots.wait()
    elements.withLock { $0.append(element) }
    filled.signal()
  }

  /// Removes and returns the first element, after waiting for one.
  package func take() -> Element {
    filled.wait()
    let element = elements.withLock { $0.removeFirst() }
    freeSlots.signal()
    return element
  }
}

/// The number of processors online.
package func processorCount() -> Int { systemProcessorCount() }
