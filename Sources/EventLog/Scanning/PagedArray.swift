/// An array that can be split into pages; copies then share the pages that neither has changed.
///
/// While a journal is first read, the elements are contiguous, as fast as in any array.
/// ``paginate()`` splits them into pages of 512, and the pages into folders of 512. From then on,
/// the first write to a page copies that page and the part of the directory above it. So a state of
/// millions of cells can be returned as a value after every append, and the next append pays only
/// for its changes.
///
/// Unchanged pages stay in one array that all copies share, so pagination costs only the directory.
/// Changed pages take their memory twice, including what their elements refer to.
///
/// Pagination affects only the cost: copies never see each other's writes, in either form.
///
/// - Complexity: Reads and writes are O(1). The first write to a page after pagination or a copy is
///   O(512 + count / 2^18); without pages, a write is O(count) if a copy shares the array.
package struct PagedArray<Element: Sendable>: Sendable, Paginated {
  package static var pageCount: Int { Pages.count }

  /// All elements, until pagination. Afterwards it is immutable and backs the pages whose array in
  /// the directory is empty.
  private var flat: [Element] = []
  /// Nil until pagination.
  private var directory: Boxed<Directory>?
  package private(set) var count = 0

  /// A two-level page table.
  private typealias Directory = [[[Element]]]

  package init() {}

  /// `count` times `element`, in pages if `isPaginated`.
  package init(repeating element: Element, count: Int, isPaginated: Bool = false) {
    self.count = count
    guard isPaginated else {
      flat = Array(repeating: element, count: count)
      return
    }
    // All full pages share one array until they are written to.
    let page = Array(repeating: element, count: Pages.count)
    addPages { $0.count == page.count ? page : Array(page[..<$0.count]) }
  }

  /// Creates a paginated array.
  package init(_ elements: [Element]) {
    self.init(flat: elements)
    paginate()
  }

  /// Creates a contiguous array, until ``paginate()``.
  package init(flat elements: [Element]) {
    flat = elements
    count = elements.count
  }

  /// Reserves capacity for `count` elements, unless the array is paginated.
  package mutating func reserve(_ count: Int) {
    if !isPaginated { flat.reserveCapacity(count) }
  }

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

  /// Splits the array into pages. O(count / 512) the first time.
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

  /// Folders of pages; valid only after pagination.
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

  /// Changes an element in place.
  ///
  /// Its storage isn't copied, unless another copy or ``flat`` still refers to it.
  @inline(__always)
  package mutating func update(_ index: Int, _ body: (inout Element) -> Void) {
    if _fastPath(!isPaginated) {
      body(&flat[index])
    } else {
      changePage(of: index) { body(&$0[index & Pages.mask]) }
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
    changePage(of: index) { $0[index & Pages.mask] = element }
  }

  /// Changes the page of an index in place, after copying it out of ``flat``.
  @inline(__always)
  private mutating func changePage(of index: Int, _ body: (inout [Element]) -> Void) {
    // A function of its own, so that each level of the directory is checked only once.
    func change(_ page: inout [Element], _ flat: [Element], _ count: Int) {
      if page.isEmpty {
        page = Array(flat[(index & ~Pages.mask)..<min((index | Pages.mask) + 1, count)])
      }
      body(&page)
    }
    change(
      &directory!.wrappedValue[index &>> Pages.folderBits][(index &>> Pages.bits) & Pages.mask],
      flat, count)
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
      folders[folders.count - 1].append([element])
    } else {
      changePage(of: count - 1) { $0.append(element) }
    }
    count += 1
  }

  /// Removes and returns the last element; nil if there is none.
  package mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    if isPaginated { changePage(of: count - 1) { _ in } }
    count -= 1
    if !isPaginated { return flat.removeLast() }
    let folder = folders.count - 1
    let page = folders[folder].count - 1
    let element = folders[folder][page].removeLast()
    if folders[folder][page].isEmpty { folders[folder].removeLast() }
    if folders[folder].isEmpty { folders.removeLast() }
    return element
  }

  /// Calls `body` with consecutive slices of the elements.
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

/// The page size. It isn't in the generic array, because unoptimized code would look up the type of
/// the elements at each use.
private enum Pages {
  static var bits: Int { 9 }
  static var folderBits: Int { 18 }
  static var mask: Int { 511 }
  static var count: Int { 512 }
}
