// The disk contents that a power loss can leave. `FileHistory+Images.swift` lists the rules.

import EventLog

/// A history as a list of steps that a power loss can keep or drop.
struct ImagePlan {
  enum Action {
    /// The part of a write within one page; `free` numbers the pieces that may be dropped.
    case piece(offset: Int, bytes: ArraySlice<UInt8>, free: Int?)
    /// A truncation, which is kept if the chosen size is its own or a later one.
    case truncate(size: Int, sizeIndex: Int)
  }

  /// One outcome of a power loss.
  struct Choice {
    /// For each free piece, one bit per sector of its page: set if the sector is kept.
    var sectors: [UInt8]
    /// The index of the file's size in `sizes`.
    var sizeIndex: Int
  }

  private let durable: [UInt8]
  private var steps: [Action] = []
  private var sizes: [Int]
  private var firstSizeIndex = 0
  private(set) var freePieceCount = 0
  /// Whether any free piece spans more than one sector.
  private(set) var canTear = false

  init(_ history: FileHistory) {
    durable = history.durable
    sizes = [durable.count]
    for change in history.changes {
      switch change.action {
      case .write(let offset, let bytes):
        add(bytes, at: offset, isFree: change.standing != .certain)
      case .truncate(let size):
        sizes.append(size)
        steps.append(.truncate(size: size, sizeIndex: sizes.count - 1))
      }
      if change.isSizeDurable { firstSizeIndex = sizes.count - 1 }
    }
  }

  /// Splits a write at page boundaries.
  private mutating func add(_ bytes: [UInt8], at offset: Int, isFree: Bool) {
    var start = 0
    while start < bytes.count {
      let pageEnd = ((offset + start) / FileHistory.pageBytes + 1) * FileHistory.pageBytes
      let end = min(bytes.count, pageEnd - offset)
      let free = isFree ? freePieceCount : nil
      if isFree {
        freePieceCount += 1
        let sector = FileHistory.sectorBytes
        if (offset + start) / sector != (offset + end - 1) / sector { canTear = true }
      }
      steps.append(.piece(offset: offset + start, bytes: bytes[start..<end], free: free))
      if offset + end > sizes[sizes.count - 1] { sizes.append(offset + end) }
      start = end
    }
  }

  // MARK: - Choices

  var nothingKept: Choice {
    Choice(sectors: Array(repeating: 0, count: freePieceCount), sizeIndex: firstSizeIndex)
  }

  var everythingKept: Choice {
    Choice(sectors: Array(repeating: .max, count: freePieceCount), sizeIndex: sizes.count - 1)
  }

  private var sizeCount: Int {
    sizes.count - firstSizeIndex
  }

  /// The number of choices without torn pages, which may overflow from 20 free pieces on.
  var wholeChoiceCount: Int {
    (1 << freePieceCount) * sizeCount
  }

  /// Returns one of the choices without torn pages, numbered from 0.
  func wholeChoice(_ number: Int) -> Choice {
    let subset = number / sizeCount
    let sectors = (0..<freePieceCount).map { subset >> $0 & 1 == 1 ? UInt8.max : 0 }
    return Choice(sectors: sectors, sizeIndex: firstSizeIndex + number % sizeCount)
  }

  /// Returns a random choice.
  ///
  /// It keeps few, half or most of the pieces. A quarter of the choices tear pages. Half have
  /// the last size.
  func randomChoice(from generator: inout SplitMix64) -> Choice {
    let keptOfEight = [1, 4, 7].randomElement(using: &generator)!
    let isTearing = Int.random(in: 0..<4, using: &generator) == 0
    let sectors = (0..<freePieceCount).map { _ -> UInt8 in
      if isTearing, Bool.random(using: &generator) {
        return UInt8.random(in: .min ... .max, using: &generator)
      }
      return Int.random(in: 0..<8, using: &generator) < keptOfEight ? .max : 0
    }
    let isLastSize = Bool.random(using: &generator)
    let sizeIndex = Int.random(in: firstSizeIndex..<sizes.count, using: &generator)
    return Choice(sectors: sectors, sizeIndex: isLastSize ? sizes.count - 1 : sizeIndex)
  }

  // MARK: - Images

  /// Returns the contents that the choice leaves.
  func image(_ choice: Choice) -> [UInt8] {
    let lastKept = lastKeptSteps(choice)
    var file = durable
    for (index, step) in steps.enumerated() {
      switch step {
      case .truncate(let size, let sizeIndex):
        if sizeIndex <= choice.sizeIndex, file.count > size { file.resize(to: size) }
      case .piece(let offset, let bytes, _):
        forEachSector(offset, bytes) { sector, start, part in
          if let last = lastKept[sector], index <= last {
            file.overwrite(from: start, with: part)
          }
        }
      }
    }
    file.resize(to: sizes[choice.sizeIndex])
    return file
  }

  /// Returns the last kept step of each sector; all earlier steps have reached the sector, too.
  private func lastKeptSteps(_ choice: Choice) -> [Int: Int] {
    var lastKept: [Int: Int] = [:]
    for (index, step) in steps.enumerated() {
      guard case .piece(let offset, let bytes, let free) = step else { continue }
      let sectors = free.map { choice.sectors[$0] } ?? .max
      forEachSector(offset, bytes) { sector, _, _ in
        if sectors >> (sector % 8) & 1 == 1 { lastKept[sector] = index }
      }
    }
    return lastKept
  }

  /// Splits a piece at sector boundaries.
  private func forEachSector(
    _ offset: Int, _ bytes: ArraySlice<UInt8>, _ body: (Int, Int, ArraySlice<UInt8>) -> Void
  ) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let fileOffset = offset + start - bytes.startIndex
      let sector = fileOffset / FileHistory.sectorBytes
      let sectorEnd = (sector + 1) * FileHistory.sectorBytes
      let end = min(bytes.endIndex, start + sectorEnd - fileOffset)
      body(sector, fileOffset, bytes[start..<end])
      start = end
    }
  }
}
