/// The histories of one device as far as its lines tell them, and the places of its missing events.
///
/// A missing event is taken to go on from the last event that those histories have in common that
/// end before it: of one alone, from its end. If none ends before it, from the last one before it
/// that all have in common; else from nothing.
struct PresumedHistories {
  typealias Key = WaitingLines.Key

  /// Consecutive events, all known: a branch of the ledger, or lines that wait.
  private struct Run {
    /// The last event of it.
    var keys: [Key] = []
    var first: Int64
    var last: Int64
    /// Where it goes on from; nil where that is the beginning, or not known yet.
    var parent: (run: Int, sequence: Int64)?
    /// The missing event that it goes on from, as long as that has no place.
    var unplaced: Key?
    var branch: Int?
    /// Whether something goes on from its last event.
    var goesOn = false
  }

  private let ledger: Ledger
  private let device: Int
  private var runs: [Run] = []
  /// Runs that begin behind a missing event.
  private var behind: [Key: [Int]] = [:]

  init(of device: Int, _ ledger: Ledger, _ lines: [WaitingLines.Line]) {
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
      if let parent = run.parent { noteChild(of: parent) }
    }
    addRuns(of: lines, runOfBranch)
  }

  private mutating func addRuns(
    of lines: [WaitingLines.Line], _ runOfBranch: [Int32: Int]
  ) {
    var placeOf: [Key: (run: Int, sequence: Int64)] = [:]
    for line in lines.sorted(by: {
      ($0.key.sequence, $0.key.chain) < ($1.key.sequence, $1.key.chain)
    }) {
      var parent: (run: Int, sequence: Int64)?
      var unplaced: Key?
      if let previous = line.previous {
        if let known = placeOf[previous] {
          if known.sequence == runs[known.run].last, !runs[known.run].goesOn {
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
      if let unplaced { behind[unplaced, default: []].append(runs.count) }
      runs.append(
        Run(
          keys: [line.key], first: line.key.sequence, last: line.key.sequence, parent: parent,
          unplaced: unplaced))
      if let parent { noteChild(of: parent) }
    }
  }

  private mutating func noteChild(of parent: (run: Int, sequence: Int64)) {
    if parent.sequence == runs[parent.run].last { runs[parent.run].goesOn = true }
  }

  /// Gives a missing event its place; to be called in the order of their sequences and chains.
  ///
  /// - Returns: the event that it is taken to go on from.
  mutating func place(_ key: Key) -> Key? {
    let parent = key.sequence == 1 ? nil : presumedParent(of: key)
    let run = runs.count
    runs.append(Run(keys: [key], first: key.sequence, last: key.sequence, parent: parent))
    if let parent { noteChild(of: parent) }
    for child in behind[key] ?? [] {
      runs[child].parent = (run, key.sequence)
      runs[child].unplaced = nil
      runs[run].goesOn = true
    }
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

  private func presumedParent(of key: Key) -> (run: Int, sequence: Int64)? {
    let ends = runs.indices.filter { !runs[$0].goesOn && isRooted($0) }
    let before = ends.filter { runs[$0].last < key.sequence }
    var common: (run: Int, sequence: Int64)?
    for (count, end) in (before.isEmpty ? ends : before).enumerated() {
      let point = (end, runs[end].last)
      guard count > 0 else {
        common = point
        continue
      }
      guard let known = common else { return nil }
      common = self.common(known, point)
    }
    return common.flatMap { truncated($0, before: key.sequence) }
  }

  private func isRooted(_ run: Int) -> Bool {
    var at = run
    while true {
      if runs[at].unplaced != nil { return false }
      guard let parent = runs[at].parent else { return true }
      at = parent.run
    }
  }

  private func truncated(
    _ point: (run: Int, sequence: Int64), before limit: Int64
  ) -> (run: Int, sequence: Int64)? {
    var next: (run: Int, sequence: Int64)? = point
    while let at = next {
      if runs[at.run].first < limit { return (at.run, min(at.sequence, limit - 1)) }
      next = runs[at.run].parent
    }
    return nil
  }

  private func common(
    _ left: (run: Int, sequence: Int64), _ right: (run: Int, sequence: Int64)
  ) -> (run: Int, sequence: Int64)? {
    var limits: [Int: Int64] = [:]
    var next: (run: Int, sequence: Int64)? = left
    while let at = next {
      limits[at.run] = at.sequence
      next = runs[at.run].parent
    }
    next = right
    while let at = next {
      if let limit = limits[at.run] { return (at.run, min(limit, at.sequence)) }
      next = runs[at.run].parent
    }
    return nil
  }
}
