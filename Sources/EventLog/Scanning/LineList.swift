/// A list of what one line has: an array of its own, which is used again for the next line, or a
/// part of one that holds the lists of many lines, so that it is handed on without a copy.
package struct LineList<Element: Sendable>: RandomAccessCollection, Sendable {
  /// What stands behind `count` is left from earlier lines.
  private var elements: [Element] = []
  private var start = 0
  package private(set) var count = 0

  package init() {}

  /// Parts of `elements`; the first of them is empty.
  init(partsOf elements: [Element]) { self.elements = elements }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(index: Int) -> Element {
    @inline(__always)
    get {
      precondition(index >= 0 && index < count)
      return elements[start &+ index]
    }
    @inline(__always)
    _modify {
      precondition(index >= 0 && index < count)
      yield &elements[start &+ index]
    }
  }

  /// Goes on to another part.
  @inline(__always)
  mutating func move(to part: ByteRange) {
    precondition(part.start >= 0 && part.end <= elements.count)
    (start, count) = (part.start, Int(part.count))
  }

  /// Adds one to a list that is no part.
  @inline(__always)
  mutating func append(_ element: Element) {
    assert(start == 0, "A part has no room behind it.")
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count &+= 1
  }

  /// Empties a list that is no part, and keeps its memory. O(1)
  @inline(__always)
  mutating func clear() { count = 0 }
}
