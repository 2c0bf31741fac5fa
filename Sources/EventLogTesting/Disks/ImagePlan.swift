// The choices that a power loss has, and what each leaves. The rules stand in
// `FileHistory+Images.swift`.

import EventLog

/// A history cut into the steps that a power loss can keep or drop.
struct ImagePlan {
  enum Action {
    /// Part of a write that lies in one page; `free` numbers those that may be dropped.
    case piece(offset: Int, bytes: ArraySlice<UInt8>, free: Int?)
    /// A truncation, kept if the size chosen is this one or a later one.
    case truncate(size: Int, sizeIndex: Int)
  }

  /// What a power loss keeps.
  struct Choice {
    /// For each free piece, a bit for every sector of its page that is kept.
    var sectors: [UInt8]
    /// Which of the sizes the file has.
    var sizeIndex: Int
  }

  private let durable: [UInt8]
  private var steps: [Action] = []
  private var sizes: [Int]
  private var firstSizeIndex = 0
  private(set) var freePieceCount = 0
  /// Whether some free piece spans more than one sector.
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

  /// Cuts a write at the borders of pages.
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

  var nothing: Choice {
    Choice(sectors: Array(repeating: 0, count: freePieceCount), sizeIndex: firstSizeIndex)
  }

  var everything: Choice {
    Choice(sectors: Array(repeating: .max, count: freePieceCount), sizeIndex: sizes.count - 1)
  }

  private var sizeCount: Int {
    sizes.count - firstSizeIndex
  }

  /// How many choices tear no page. Fewer than 20 free pieces, or it may overflow.
  var wholeChoiceCount: Int {
    (1 << freePieceCount) * sizeCount
  }

  /// The choices that tear no page, numbered from 0.
  func wholeChoice(_ number: Int) -> Choice {
    let subset = number / sizeCount
    let sectors = (0..<freePieceCount).map { subset >> $0 & 1 == 1 ? UInt8.max : 0 }
    return Choice(sectors: sectors, sizeIndex: firstSizeIndex + number % sizeCount)
  }

  /// Any choice: few, half or most of the pieces, every fourth time with torn ones, the last size
  /// half of the time.
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

  /// Returns the file as the choice leaves it.
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

  /// For each sector the last step whose bytes reached it: with them came all the earlier ones.
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

  /// Cuts a piece at the borders of sectors.
  private func forEachSector(
    _ offset: Int, _ bytes: ArraySlice<UInt8>, _ body: (Int, Int, ArraySlice<UInt8>) -> Void
  ) {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let place = offset + start - bytes.startIndex
      let sector = place / FileHistory.sectorBytes
      let sectorEnd = (sector + 1) * FileHistory.sectorBytes
      let end = min(bytes.endIndex, start + sectorEnd - place)
      body(sector, place, bytes[start..<end])
      start = end
    }
  }
}
