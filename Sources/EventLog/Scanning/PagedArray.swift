/// An array that can be cut into pages, after which copies share what neither has changed since.
///
/// While a journal is read for the first time, elements stand side by side, as fast as in any
/// array. ``paginate()`` divides them into pages of 512, and pages into folders of 512: from then
/// on the first write to a page copies that page and the part of the directory above it. So a state
/// of millions of cells can be handed out as a value after every append, and the next append pays
/// only for what it changes.
///
/// A page that nobody has changed since keeps standing where it was, among the others, in one array
/// that all copies share. So cutting costs nothing but the directory; what was changed takes its
/// memory twice, with what its elements refer to.
///
/// Pages change nothing but cost: copies never see each other's writes, in either form.
///
/// - Complexity: reading and writing O(1). Once paginated, the first write to a page, or to one
///   that a copy shares, O(512 + count / 2^18); before, O(count) where a copy shares the array.
package struct PagedArray<Element: Sendable>: Sendable, Paginated {
  package static var pageCount: Int { Pages.count }

  /// All elements until they are paginated; from then on those of pages that are empty, at their
  /// places, and never changed again.
  private var flat: [Element] = []
  /// Nil until there are pages.
  private var directory: Boxed<Directory>?
  package private(set) var count = 0

  /// Folders of pages of elements.
  private typealias Directory = [[[Element]]]

  package init() {}

  /// `count` times `element`, in pages if `isPaginated`.
  package init(repeating element: Element, count: Int, isPaginated: Bool = false) {
    self.count = count
    guard isPaginated else {
      flat = Array(repeating: element, count: count)
      return
    }
    // All are one page until they are written to.
    let page = Array(repeating: element, count: Pages.count)
    addPages { $0.count == page.count ? page : Array(page[..<$0.count]) }
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

  /// All elements.
  var elements: [Element] {
    if !isPaginated { return flat }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    forEachPage { elements += $0 }
    return elements
  }

  @inline(__always)
  package var isPaginated: Bool { directory != nil }
  package var isEmpty: Bool { count == 0 }
  package var indices: Range<Int> { 0..<count }
  package var last: Element? { count == 0 ? nil : self[count - 1] }

  /// Cuts the array into pages. O(count / 512) the first time.
  package mutating func paginate() {
    if !isPaginated { addPages { _ in [] } }
  }

  private mutating func addPages(_ page: (Range<Int>) -> [Element]) {
    var folders: Directory = []
    for start in stride(from: 0, to: count, by: Pages.count) {
      if start & ((1 << Pages.folderBits) - 1) == 0 { folders.append([]) }
      folders[folders.count - 1].append(page(start..<min(start + Pages.count, count)))
    }
    directory = Boxed(wrappedValue: folders)
  }

  /// Folders of pages; only once paginated.
  private var folders: Directory {
    _read { yield directory!.wrappedValue }
    _modify { yield &directory!.wrappedValue }
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

  /// Changes an element where it stands, without a copy of what it refers to, unless another copy
  /// or the page before its first change still holds that.
  @inline(__always)
  package mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
    if _fastPath(!isPaginated) {
      body(&flat[index])
    } else {
      takeOutPage(of: index)
      body(
        &folders[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask][
          index & Pages.mask])
    }
  }

  @inline(never)
  private func elementOfPage(_ index: Int) -> Element {
    let folder = index &>> Pages.folderBits
    let page = (index &>> Pages.bits) & Pages.mask
    if !folders[folder][page].isEmpty { return folders[folder][page][index & Pages.mask] }
    return flat[index]
  }

  @inline(never)
  private mutating func setInPage(_ index: Int, _ element: Element) {
    takeOutPage(of: index)
    folders[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask][
      index & Pages.mask] = element
  }

  /// Gives the page of an element that is there an array of its own.
  @inline(never)
  private mutating func takeOutPage(of index: Int) {
    let folder = index &>> Pages.folderBits
    let page = (index &>> Pages.bits) & Pages.mask
    guard folders[folder][page].isEmpty else { return }
    let start = index & ~Pages.mask
    folders[folder][page] = Array(flat[start..<min(start + Pages.count, count)])
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
    } else {
      takeOutPage(of: count - 1)
    }
    folders[count &>> Pages.folderBits][(count &>> Pages.bits) & Pages.mask].append(element)
    count += 1
  }

  /// Takes the last element away; nil if there is none.
  package mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    if isPaginated { takeOutPage(of: count - 1) }
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
    var start = 0
    for folder in folders {
      for page in folder {
        let end = min(start + Pages.count, count)
        try body(page.isEmpty ? flat[start..<end] : page[...])
        start = end
      }
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
