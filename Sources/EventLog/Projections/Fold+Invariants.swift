extension Fold {
  /// Asserts the invariants of the state.
  ///
  /// - Parameter ledger: The ledger of the same reading.
  /// - Complexity: O(state), and O(values² · clock) for each contested field.
  package func checkInvariants(_ ledger: Ledger) {
    assert(broken(ledger).isEmpty, broken(ledger).joined(separator: "\n"))
  }

  /// The violated invariants, as sentences.
  package func broken(_ ledger: Ledger) -> [String] {
    let dots = Dots(ledger)
    let held = ledger.branches.reduce(0) { $0 + $1.eventCount }
    return (eventCount == held ? [] : ["\(eventCount) events are in it, of \(held) held."])
      + brokenRows + brokenEntities + brokenRegisters(dots) + brokenCounters(dots)
      + brokenDatedValues(dots) + brokenSets(dots) + brokenPresences(dots)
  }

  /// Checks writes against the ledger.
  private struct Dots {
    let ledger: Ledger

    init(_ ledger: Ledger) { self.ledger = ledger }

    func isHeld(_ dot: Dot) -> Bool {
      ledger.branches.indices.contains(Int(dot.branch))
        && ledger.branches[Int(dot.branch)].contains(dot.sequence) && ledger.isHeld(dot.point)
    }

    func hasSeen(_ later: Dot, _ earlier: Dot) -> Bool {
      ledger.hasSeen(later.point, earlier.point)
    }

    /// Whether the links are within the limit, and no write had seen the one that replaced it.
    func follow<Value>(_ links: [OverwriteHistory<Value>.Link]) -> Bool {
      func isHeld(_ point: Ledger.Point) -> Bool {
        point.branch < 0 || self.isHeld(Dot(branch: point.branch, sequence: point.sequence, at: 0))
      }
      return links.count <= OverwriteHistory<Value>.linksMax
        && links.allSatisfy { link in
          isHeld(link.write) && isHeld(link.later)
            && (link.isRoot || link.write.branch < 0 || !ledger.hasSeen(link.write, link.later))
        }
    }

    /// Whether all events are held, and none has seen another one that isn't `apart`.
    func areConcurrent(_ dots: [Dot], apartFrom isApart: (Dot) -> Bool = { _ in false }) -> Bool {
      dots.allSatisfy(isHeld)
        && dots.indices.allSatisfy { index in
          dots.indices.allSatisfy {
            $0 == index || isApart(dots[$0]) || !hasSeen(dots[index], dots[$0])
          }
        }
    }
  }

  /// Checks that every cell is in the chain of its row exactly once.
  private var brokenRows: [String] {
    var (registerCount, counterCount, setCount) = (0, 0, 0)
    for index in rows.indices {
      var cell = rows[index].firstRegister
      while cell >= 0, registerCount <= registers.cells.count {
        registerCount += 1
        if registers.cells[Int(cell)].row != index { return ["Register \(cell) is another row's."] }
        cell = registers.cells[Int(cell)].next
      }
      cell = rows[index].firstCounter
      while cell >= 0, counterCount <= counters.cells.count {
        counterCount += 1
        if counters.cells[Int(cell)].row != index { return ["Counter \(cell) is another row's."] }
        cell = counters.cells[Int(cell)].next
      }
      cell = rows[index].firstSet
      while cell >= 0, setCount <= sets.cells.count {
        setCount += 1
        let field = sets.cells[Int(cell)].field
        if setTable.find(Int32(index), field) != cell { return ["Set \(cell) is not found."] }
        cell = sets.cells[Int(cell)].next
      }
    }
    let counts = (registers.cells.count, counters.cells.count, sets.cells.count)
    return (registerCount, counterCount, setCount) == counts
      ? [] : ["A register, a counter or a set is in no row, or in two."]
  }

  /// Checks that every entity has its name, and every row its entity.
  private var brokenEntities: [String] {
    guard entities.count == entityNames.count, entities.count == presences.spans.count else {
      return ["An entity has no name, or nothing that tells whether it is there."]
    }
    let chained = collections.indices.reduce(0) { $0 + chainLength(of: $1) }
    guard chained == entities.indices.count(where: { entities[$0].collection >= 0 }) else {
      return ["An entity is not in the chain of its collection, or is in two."]
    }
    return rows.indices.filter { index in
      let row = rows[index]
      if row.entity < 0 { return index >= catalog.collections.count }
      let entity = entities[Int(row.entity)]
      return row.day == Row.noDay
        ? entity.row != index : dayTable.find(row.entity, row.day) != index || entity.row < 0
    }.map { "Row \($0) is not that of its entity." }
  }

  /// The number of entities in the chain of a collection, or −1 if one is of another collection.
  private func chainLength(of collection: Int) -> Int {
    var count = 0
    var entity = collections[collection].lastEntity
    while entity >= 0, count <= entities.count {
      if Int(entities[Int(entity)].collection) != collection { return -1 }
      count += 1
      entity = entities[Int(entity)].before
    }
    return count
  }

  private func brokenRegisters(_ dots: Dots) -> [String] {
    registers.cells.indices.filter { index in
      let cell = registers.cells[index]
      return registerTable.find(cell.row, cell.field) != index
        || !dots.areConcurrent(
          registers.liveValues(index).map(\.dot),
          apartFrom: { registers.ranks.low(of: $0.point, in: index) > 0 })
        || !dots.follow(registers.past.all(cell.past))
    }.map { "Register \($0) is not found, or keeps a value that was replaced." }
  }

  private func brokenDatedValues(_ dots: Dots) -> [String] {
    datedValues.registers.filter { register in
      let entries = datedValues.entries(of: register)
      return !entries.allSatisfy { dots.isHeld($0.dot) }
        || !registers.liveValues(Int(register)).allSatisfy { live in
          entries.contains { $0.dot == live.dot }
        }
        || entries.contains { entry in
          entries.contains {
            $0.dot != entry.dot && $0.from <= entry.from && entry.low == 0
              && dots.hasSeen($0.dot, entry.dot)
          }
        }
    }.map { "Register \($0) keeps an entry that was replaced, or lacks that of a live value." }
  }

  private func brokenCounters(_ dots: Dots) -> [String] {
    counters.cells.indices.filter { index in
      let live = counters.keptSets(index)
      let (imports, people) = (live.filter { $0.source >= 0 }, live.filter { $0.source < 0 })
      guard dots.areConcurrent(imports.map(\.dot)), dots.areConcurrent(people.map(\.dot)),
        people.allSatisfy({ person in !imports.contains { dots.hasSeen(person.dot, $0.dot) } }),
        dots.follow(counters.past.all(counters.cells[index].past))
      else { return true }
      var branches: Set<Int32> = []
      var sum = CounterSum.zero
      var track = counters.cells[index].firstTrack
      while track >= 0 {
        let state = counters.tracks[Int(track)]
        guard branches.insert(state.branch).inserted else { return true }
        sum += counters.increments.newest(state.run)?.sum ?? .zero
        track = state.next
      }
      return counters.cells[index].sum != sum
        || counters.cells[index].trackCount != branches.count
    }.map { "Counter \($0) keeps a set that was replaced, or is not the sum of its increments." }
  }

  private func brokenSets(_ dots: Dots) -> [String] {
    sets.cells.indices.filter { index in
      !sets.cells[index].live.values.allSatisfy { inclusions in
        !inclusions.isEmpty
          && inclusions.allSatisfy { dots.isHeld(Dot(branch: $0.key, sequence: $0.value, at: 0)) }
      }
    }.map { "Set \($0) keeps a member that nothing included." }
  }

  private func brokenPresences(_ dots: Dots) -> [String] {
    let ledger = dots.ledger
    return presences.spans.indices.filter { index in
      let span = presences.spans[index]
      let touches = (span.start..<(span.start + span.count)).map { presences.touches[Int($0)].dot }
      let live = presences.liveDeletions(Int32(index)).map(\.dot)
      return span.count > span.capacity || !touches.allSatisfy(dots.isHeld)
        || Set(touches.map(\.branch)).count != touches.count
        || !live.allSatisfy { deletion in
          dots.isHeld(deletion) && !touches.contains { dots.hasSeen(deletion, $0) }
        }
        || presences.isContested(Int32(index))
          != (span.deletions >= 0 && presences.hasContesting(Int32(index), ledger))
    }.map { "Entity \($0) is named twice by a device, or contested by what its deletion has seen." }
  }
}
