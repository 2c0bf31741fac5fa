/// An array that can be cut into pages, after which copies share what neither has changed since.
///
/// While a journal is read for the first time, elements stand side by side, as fast as in any
/// array. ``paginate()`` moves them into pages of 512, and pages into folders of 512: from then on
/// a write to a copy copies one page and the part of the directory above it. So a state of millions
/// of cells can be handed out as a value after every append, and the next append pays only for what
/// it changes.
///
/// Pages change nothing but cost: copies never see each other's writes, in either form.
///
/// - Complexity: reading and writing O(1). Once paginated, the first write to a page that a copy
///   shares O(512 + count / 2^18); before, O(count).
package struct PagedArray<Element: Sendable>: Sendable {
  package static var pageCount: Int { Pages.count }

  /// All elements until they are paginated.
  private var flat: [Element] = []
  /// Folders of pages of elements, after that.
  private var folders: [[[Element]]] = []
  package private(set) var isPaginated = false
  package private(set) var count = 0

  package init() {}

  /// `count` times `element`, in pages if `isPaginated`.
  package init(repeating element: Element, count: Int, isPaginated: Bool = false) {
    self.count = count
    guard isPaginated else {
      flat = Array(repeating: element, count: count)
      return
    }
    self.isPaginated = true
    fill { Array(repeating: element, count: $0.count) }
  }

  /// In pages.
  package init(_ elements: [Element]) {
    self.init(flat: elements)
    paginate()
  }

  /// Side by side, until ``paginate()``.
  package init(flat elements: [Element]) {
    flat = elements
    count = elements.count
  }

  /// Makes room for `count` elements, while they stand side by side.
  package mutating func reserve(_ count: Int) {
    if !isPaginated { flat.reserveCapacity(count) }
  }

  package var isEmpty: Bool { count == 0 }
  package var indices: Range<Int> { 0..<count }
  package var last: Element? { count == 0 ? nil : self[count - 1] }

  /// Cuts the array into pages. O(count) the first time.
  package mutating func paginate() {
    guard !isPaginated else { return }
    isPaginated = true
    let elements = flat
    flat = []
    fill { Array(elements[$0]) }
  }

  private mutating func fill(_ page: (Range<Int>) -> [Element]) {
    for start in stride(from: 0, to: count, by: Pages.count) {
      if start & ((1 << Pages.folderBits) - 1) == 0 { folders.append([]) }
      folders[folders.count - 1].append(page(start..<min(start + Pages.count, count)))
    }
  }

  package subscript(index: Int) -> Element {
    @inline(__always)
    get {
      if _fastPath(!isPaginated) { return flat[index] }
      return elementOfPage(index)
    }
    @inline(__always)
    set {
      if _fastPath(!isPaginated) { flat[index] = newValue } else { setInPage(index, newValue) }
    }
  }

  /// Changes an element where it stands, without a copy of what it refers to.
  @inline(__always)
  package mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
    if _fastPath(!isPaginated) {
      body(&flat[index])
    } else {
      body(
        &folders[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask][
          index & Pages.mask])
    }
  }

  @inline(never)
  private func elementOfPage(_ index: Int) -> Element {
    folders[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask][index & Pages.mask]
  }

  @inline(never)
  private mutating func setInPage(_ index: Int, _ element: Element) {
    folders[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask][
      index & Pages.mask] = element
  }

  @inline(__always)
  package mutating func append(_ element: Element) {
    if _fastPath(!isPaginated) {
      flat.append(element)
      count &+= 1
    } else {
      appendToPage(element)
    }
  }

  @inline(never)
  private mutating func appendToPage(_ element: Element) {
    if count & Pages.mask == 0 {
      if count & ((1 << Pages.folderBits) - 1) == 0 { folders.append([]) }
      folders[folders.count - 1].append([])
    }
    folders[count &>> Pages.folderBits][(count &>> Pages.bits) & Pages.mask].append(element)
    count += 1
  }

  /// Takes the last element away; nil if there is none.
  package mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    if !isPaginated { return flat.removeLast() }
    let folder = folders.count - 1
    let page = folders[folder].count - 1
    let element = folders[folder][page].removeLast()
    if folders[folder][page].isEmpty { folders[folder].removeLast() }
    if folders[folder].isEmpty { folders.removeLast() }
    return element
  }

  /// Calls `body` with the elements in order, in pieces.
  package func forEachPage<Failure: Error>(
    _ body: (ArraySlice<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    if !isPaginated { return try body(flat[...]) }
    for folder in folders {
      for page in folder { try body(page[...]) }
    }
  }
}

/// How many elements a page has. Not in the array itself: without optimisation, each question would
/// look for the type of its elements first.
private enum Pages {
  static var bits: Int { 9 }
  static var folderBits: Int { 18 }
  static var mask: Int { 511 }
  static var count: Int { 512 }
}
