/// A list of elements of one line.
///
/// It is an array of its own, reused for the next line, or a part of an array that contains the
/// lists of many lines, which then are passed on without a copy.
package struct LineList<Element: Sendable>: RandomAccessCollection, Sendable {
  /// Elements after `count` are left over from earlier lines.
  private var elements: [Element] = []
  private var start = 0
  package private(set) var count = 0

  package init() {}

  /// A list for parts of `elements`, initially an empty one.
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

  /// Switches to another part.
  @inline(__always)
  mutating func move(to part: ByteRange) {
    precondition(part.start >= 0 && part.end <= elements.count)
    (start, count) = (part.start, Int(part.count))
  }

  /// Appends an element to a list that isn't a part.
  @inline(__always)
  mutating func append(_ element: Element) {
    assert(start == 0, "A part has no room behind it.")
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count &+= 1
  }

  /// Empties a list that isn't a part, keeping its memory. O(1)
  @inline(__always)
  mutating func clear() { count = 0 }
}
