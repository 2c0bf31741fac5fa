/// The histories of one device, with the presumed predecessors of its missing events.
///
/// A missing event is presumed to continue the last common event of the histories that end before
/// it. If there are none, it continues the last earlier event common to all histories, or else
/// nothing.
///
/// - Complexity: O(*n* log *n*) in total, for *n* lines and missing events.
struct GapPlacement {
  typealias Key = DeferredLines.Key

  /// Consecutive known events: a branch of the ledger or deferred lines.
  private struct Run {
    /// The deferred events in it.
    var keys: [Key] = []
    var first: Int64
    var last: Int64
    /// The event that it continues, or nil if it begins a history or the event isn't known yet.
    var parent: (run: Int, sequence: Int64)?
    /// The missing event that it continues, until that has a predecessor.
    var unplaced: Key?
    var branch: Int?
    /// Whether a run continues its last event.
    var isContinued = false
    /// The runs that continue it.
    var children: [Int] = []
    var depth: Int32 = 0
    var jump = 0
  }

  /// The ends of some histories and their last common event.
  private struct Ends {
    var count = 0
    var common: (node: Int, sequence: Int64)?

    /// Removes an end.
    ///
    /// A run that continues it is added afterwards, so the common event of the others doesn't
    /// change.
    mutating func remove() {
      count -= 1
      if count == 0 { common = nil }
    }
  }

  /// An end that isn't before the current missing event.
  private struct LaterEnd: Comparable {
    var last: Int64
    var run: Int

    static func < (left: LaterEnd, right: LaterEnd) -> Bool {
      (left.last, left.run) < (right.last, right.run)
    }
  }

  private let ledger: Ledger
  private let device: Int
  private var runs: [Run] = []
  /// The runs that continue a missing event.
  private var continuations: [Key: [Int]] = [:]
  /// The ends of all rooted histories.
  private var all = Ends()
  /// The ends before the current missing event, and the later ones.
  private var before = Ends()
  private var later = MinHeap<LaterEnd>()

  init(of device: Int, _ ledger: Ledger, _ lines: [DeferredLines.Line]) {
    self.ledger = ledger
    self.device = device
    var runOfBranch: [Int32: Int] = [:]
    for branch in ledger.devices[device].branches {
      let state = ledger.branches[Int(branch)]
      runOfBranch[branch] = runs.count
      var run = Run(first: state.first, last: state.last, branch: Int(branch))
      if state.parent >= 0, let parent = runOfBranch[state.parent] {
        run.parent = (parent, state.after)
      }
      runs.append(run)
      if let parent = run.parent { noteChild(runs.count - 1, of: parent) }
    }
    addRuns(of: lines, runOfBranch)
    for run in runs.indices where runs[run].parent == nil && runs[run].unplaced == nil {
      root(run)
    }
  }

  /// Adds a run that is now rooted and the runs that continue it.
  private mutating func root(_ run: Int) {
    var open = [run]
    while let run = open.popLast() {
      runs[run].jump = run
      if let parent = runs[run].parent?.run {
        runs[run].depth = runs[parent].depth + 1
        runs[run].jump = jump(below: parent)
      }
      if !runs[run].isContinued {
        all = adding((run, runs[run].last), to: all)
        later.insert(LaterEnd(last: runs[run].last, run: run))
      }
      open += runs[run].children
    }
  }

  private func adding(_ end: (node: Int, sequence: Int64), to ends: Ends) -> Ends {
    Ends(
      count: ends.count + 1,
      common: ends.count == 0 ? end : ends.common.flatMap { common($0, end) })
  }

  private mutating func addRuns(
    of lines: [DeferredLines.Line], _ runOfBranch: [Int32: Int]
  ) {
    var placeOf: [Key: (run: Int, sequence: Int64)] = [:]
    for line in lines.sorted(by: {
      ($0.key.sequence, $0.key.chain) < ($1.key.sequence, $1.key.chain)
    }) {
      var parent: (run: Int, sequence: Int64)?
      var unplaced: Key?
      if let previous = line.previous {
        if let known = placeOf[previous] {
          if known.sequence == runs[known.run].last, !runs[known.run].isContinued {
            runs[known.run].keys.append(line.key)
            runs[known.run].last = line.key.sequence
            placeOf[line.key] = (known.run, line.key.sequence)
            continue
          }
          parent = known
        } else if let point = ledger.locate(device, previous.sequence, previous.chain) {
          parent = (runOfBranch[point.branch]!, point.sequence)
        } else {
          unplaced = previous
        }
      }
      placeOf[line.key] = (runs.count, line.key.sequence)
      if let unplaced { continuations[unplaced, default: []].append(runs.count) }
      runs.append(
        Run(
          keys: [line.key], first: line.key.sequence, last: line.key.sequence, parent: parent,
          unplaced: unplaced))
      if let parent { noteChild(runs.count - 1, of: parent) }
    }
  }

  private mutating func noteChild(_ child: Int, of parent: (run: Int, sequence: Int64)) {
    runs[parent.run].children.append(child)
    if parent.sequence == runs[parent.run].last { runs[parent.run].isContinued = true }
  }

  /// Adds a missing event.
  ///
  /// Must be called in the order of sequences and chains.
  ///
  /// - Returns: The presumed predecessor.
  mutating func place(_ key: Key) -> Key? {
    let parent = key.sequence == 1 ? nil : presumedParent(of: key)
    let run = runs.count
    runs.append(Run(keys: [key], first: key.sequence, last: key.sequence, parent: parent))
    if let parent {
      if parent.sequence == runs[parent.run].last, !runs[parent.run].isContinued {
        // The parent was the only end before the missing event.
        all.remove()
        before.remove()
      }
      noteChild(run, of: parent)
    }
    for child in continuations[key] ?? [] {
      runs[child].parent = (run, key.sequence)
      runs[child].unplaced = nil
      noteChild(child, of: (run, key.sequence))
    }
    root(run)
    return parent.map { self.key($0) }
  }

  private func key(_ point: (run: Int, sequence: Int64)) -> Key {
    let run = runs[point.run]
    if let branch = run.branch {
      return Key(
        device: Int32(device), sequence: point.sequence,
        chain: ledger.branches[branch].chain(at: point.sequence))
    }
    return run.keys[Int(point.sequence - run.first)]
  }

  private mutating func presumedParent(of key: Key) -> (run: Int, sequence: Int64)? {
    while let end = later.least, end.last < key.sequence {
      _ = later.popLeast()
      before = adding((end.run, end.last), to: before)
    }
    return (before.count > 0 ? before : all).common
      .flatMap { last(before: key.sequence, inHistoryOf: $0) }.map { ($0.node, $0.sequence) }
  }
}

extension GapPlacement: HistoryForest {
  func parent(of run: Int) -> Int { runs[run].parent?.run ?? -1 }
  func after(_ run: Int) -> Int64 { runs[run].parent?.sequence ?? 0 }
  func first(of run: Int) -> Int64 { runs[run].first }
  func depth(of run: Int) -> Int32 { runs[run].depth }
  func jump(of run: Int) -> Int { runs[run].jump }
}
