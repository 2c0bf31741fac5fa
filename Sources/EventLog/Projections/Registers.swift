/// The register mechanism: a write replaces the values whose events it had seen.
///
/// If several remain, equal values are one and different ones are a conflict; the latest is shown.
/// A multi-value register with dots (Shapiro et al., "A comprehensive study of CRDTs", 2011; the
/// dots after Preguiça et al., 2010): a value is kept with the one event that wrote it, and the
/// incoming event's clock tells which are replaced.
package struct Registers: Sendable {
  /// A value that no write has replaced.
  package struct LiveValue: Sendable {
    package var dot: Dot
    package var value: ByteArena.Slot
  }

  /// One field of one row.
  package struct Cell: Sendable {
    package var live: LiveValue
    /// Further live values: an index into `contested`, or −1.
    var others: Int32
    package var row: Int32
    package var field: Int32
    /// The next register of the row, or −1.
    package var next: Int32
  }

  /// The further live values of a register that has several; none in a list that is free.
  struct Others: Sendable {
    var cell: Int32
    var values: [LiveValue]
  }

  package internal(set) var cells = PagedArray<Cell>()
  var contested = PagedArray<Others>()
  private var freeLists = PagedArray<Int32>()
  var arena = ByteArena()

  /// Grows whenever a register comes to have other live values beside its first, or fewer.
  private(set) var changeCount = 0

  package init() {}

  /// Lets copies share what neither changes.
  package mutating func paginate() {
    cells.paginate()
    contested.paginate()
    freeLists.paginate()
    arena.paginate()
  }

  /// Makes a register with its first value.
  package mutating func add(
    row: Int32, field: Int32, next: Int32, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot
  ) -> Int32 {
    let value = arena.store(source, range)
    cells.append(
      Cell(
        live: LiveValue(dot: dot, value: value), others: -1, row: row, field: field,
        next: next))
    return Int32(cells.count - 1)
  }

  /// Writes the register. The ledger's row of the dot's device is the writing event's clock.
  @inline(__always)
  package mutating func write(
    _ cell: Int32, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger
  ) {
    let index = Int(cell)
    if cells[index].others < 0, cells[index].live.dot.isSeen(by: dot.branch, ledger) {
      let value = arena.replace(cells[index].live.value, with: source, range)
      cells.update(index) { $0.live = LiveValue(dot: dot, value: value) }
    } else {
      writeBeside(index, source, range, by: dot, ledger)
    }
  }

  @inline(never)
  private mutating func writeBeside(
    _ index: Int, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger
  ) {
    var live: [LiveValue] = []
    for value in liveValues(index) {
      if value.dot.isSeen(by: dot.branch, ledger) {
        arena.release(value.value)
      } else {
        live.append(value)
      }
    }
    live.append(LiveValue(dot: dot, value: arena.store(source, range)))
    cells[index].live = live.removeLast()
    changeCount &+= 1
    let list = cells[index].others
    let others = Others(cell: Int32(index), values: live)
    if list >= 0 {
      contested[Int(list)] = others
      if live.isEmpty {
        freeLists.append(list)
        cells[index].others = -1
      }
    } else if live.isEmpty {
      return
    } else if let free = freeLists.popLast() {
      contested[Int(free)] = others
      cells[index].others = free
    } else {
      contested.append(others)
      cells[index].others = Int32(contested.count - 1)
    }
  }

  // MARK: - Reading

  /// The registers that hold values which differ. O(registers that ever had several).
  var contestedCells: [Int] {
    contested.indices.map { contested[$0] }.filter { !$0.values.isEmpty }.map { Int($0.cell) }
      .filter(isContested)
  }

  /// All live values.
  package func liveValues(_ index: Int) -> [LiveValue] {
    let cell = cells[index]
    return cell.others < 0 ? [cell.live] : [cell.live] + contested[Int(cell.others)].values
  }

  package func bytes(_ value: LiveValue) -> ArraySlice<UInt8> { arena.bytes(value.value) }

  /// The value that is shown: the latest of the live ones.
  package func shown(_ index: Int, _ ledger: Ledger) -> LiveValue {
    let cell = cells[index]
    if cell.others < 0 { return cell.live }
    return liveValues(index).reduce(cell.live) { $1.dot.isLater(than: $0.dot, ledger) ? $1 : $0 }
  }

  /// Whether live values differ.
  package func isContested(_ index: Int) -> Bool {
    let cell = cells[index]
    if cell.others < 0 { return false }
    let first = bytes(cell.live)
    let value = JSONValue(canonical: first)
    return contested[Int(cell.others)].values.contains { other in
      let bytes = bytes(other)
      return bytes != first && JSONValue(canonical: bytes) != value
    }
  }
}
