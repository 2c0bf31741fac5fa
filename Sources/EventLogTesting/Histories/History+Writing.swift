package import EventLog

extension History {
  /// Makes a copy write an event, which has seen everything that the copy holds.
  ///
  /// - Parameters:
  ///   - draft: The event. Without a type, it is written like a line of a later version.
  ///   - more: Whether the copy's next event belongs to the same batch.
  @discardableResult
  package mutating func write(
    _ draft: EventDraft, on copy: Copy, more: Bool = false
  ) -> FullEventID {
    let at = draft.at ?? tick()
    if draft.type.isEmpty { return writeLaterVersion(draft.entity, at, on: copy, more: more) }
    return write(on: copy, at: at) { id, seen, before in
      var writer = EventLineWriter(after: before)
      writer.write(
        id: id, at: at, type: draft.type, entity: draft.entity, seen: seen, ref: draft.ref,
        more: more, data: draft.data)
      var line = writer.bytes
      line.removeLast()
      return ReferenceLine(
        id: FullEventID(
          device: id.device, sequence: id.sequence, chain: writer.checksum.chain),
        before: before, at: at, type: draft.type, entity: draft.entity, data: draft.data,
        version: 1, seen: seen, hasMore: more, bytes: line)
    }
  }

  /// Makes a copy write a batch of events.
  @discardableResult
  package mutating func write(batch drafts: [EventDraft], on copy: Copy) -> [FullEventID] {
    drafts.indices.map { write(drafts[$0], on: copy, more: $0 < drafts.count - 1) }
  }

  private mutating func writeLaterVersion(
    _ entity: EntityID?, _ at: Timestamp, on copy: Copy, more: Bool
  ) -> FullEventID {
    write(on: copy, at: at) { id, seen, before in
      let entries = seen.map { "\"\($0)\"" }.joined(separator: ",")
      var bytes = Array(#"{"id":"\#(id)","v":2"#.utf8)
      if let entity { bytes += #","entity":"\#(entity)","op":[1]"#.utf8 }
      if more { bytes += #","more":true"#.utf8 }
      if !seen.isEmpty { bytes += #","seen":[\#(entries)]"#.utf8 }
      bytes = sealed(bytes, after: before)
      let chain = sealedTail(of: bytes)!.chain
      return ReferenceLine(
        id: FullEventID(device: id.device, sequence: id.sequence, chain: chain),
        before: before, at: nil, type: "", entity: nil, data: JSONObject(), version: 2,
        seen: seen, hasMore: more, bytes: bytes)
    }
  }

  /// Writes the line that a closure creates for an ID, its `seen`, and the previous chain.
  private mutating func write(
    on copy: Copy, at: Timestamp, _ line: (EventID, [FullEventID], UInt32) -> ReferenceLine
  ) -> FullEventID {
    let state = copies[copy.number]
    let last = state.last.map { entries[$0].fullID }
    var (truth, seen) = known(to: state)
    let event = line(
      EventID(device: state.device, sequence: (last?.sequence ?? 0) + 1), seen, last?.chain ?? 0)
    truth.insert(indexes[event.id] ?? entries.count)
    let index = add(
      Entry(event: event, at: at, truth: truth, held: state.held, user: state.user))
    hold([index], on: copy)
    copies[copy.number].last = index
    return event.id
  }

  /// Returns the events that count for a copy, and those that its next event has to state.
  private func known(to state: CopyState) -> (truth: NumberSet, seen: [FullEventID]) {
    guard state.isPlain else { return read(state) }
    let stated = state.last.map { entries[$0].truth } ?? NumberSet()
    return (state.held, state.tips.subtracting(stated).numbers.map { entries[$0].fullID }.sorted())
  }

  /// Returns the same as the reference finds it in the lines of the copy.
  func read(_ state: CopyState) -> (truth: NumberSet, seen: [FullEventID]) {
    let histories = self.histories(of: state)
    var truth = NumberSet(histories.shown.numbers.map { indexes[histories.ids[$0]]! })
    guard let last = state.last else { return (truth, histories.unstated(after: nil)) }
    precondition(state.held.contains(last), "a copy that lost its last event takes a new ID")
    // An open batch of its own doesn't count yet, but its next event has seen it.
    for event in histories.pasts[histories.number(entries[last].fullID)!].numbers
    where histories.lines[event] != nil {
      truth.insert(indexes[histories.ids[event]]!)
    }
    return (truth, histories.unstated(after: entries[last].fullID))
  }

  func histories(of state: CopyState) -> ReferenceHistories {
    ReferenceHistories(state.order.map { entries[$0].event }, user: state.user)
  }

  /// Adds lines to a copy, except those that it holds already.
  mutating func hold(_ added: [Int], on copy: Copy) {
    var state = copies[copy.number]
    for index in added where !state.held.contains(index) {
      state.held.insert(index)
      state.order.append(index)
    }
    if state.isPlain {
      // A plain copy holds all predecessors.
      for index in added { state.tips.insert(index) }
      for index in added {
        if let previous = entries[index].event.previous { state.tips.remove(indexes[previous]!) }
      }
    }
    copies[copy.number] = state
  }
}
