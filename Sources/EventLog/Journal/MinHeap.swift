/// A priority queue for the least element (Williams, "Algorithm 232: Heapsort", 1964).
package struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  package init() {}

  var least: Element? { elements.first }

  /// - Complexity: O(log elements).
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// - Complexity: O(log elements).
  package mutating func popLeast() -> Element? {
    guard let least = elements.first, let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return least }
    elements[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < elements.count && elements[child] < elements[smallest] {
        smallest = child
      }
      if smallest == index { return least }
      elements.swapAt(index, smallest)
      index = smallest
    }
  }
}
