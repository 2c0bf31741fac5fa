extension Presences {
  func encode(into encoder: inout ColumnEncoder) {
    var counts: [Int32] = []
    var live: [Touch] = []
    for index in spans.indices {
      let touches = liveTouches(Int32(index))
      counts.append(Int32(touches.count))
      live += touches
    }
    encoder.write(touches: live)
    encoder.write(column: counts)
    var entities: [Int32] = []
    var deletionCounts: [Int32] = []
    var deleted: [Deletion] = []
    // Sorted, so that equal states are written alike, whatever lists were free in between.
    let lasting = deletions.indices.map { deletions[$0] }.filter { !$0.live.isEmpty }
    for state in lasting.sorted(by: { $0.entity < $1.entity }) {
      entities.append(state.entity)
      deletionCounts.append(Int32(state.live.count))
      deleted += state.live
    }
    encoder.write(touches: deleted.map(\.touch))
    encoder.write(touches: deleted.flatMap(\.contesting))
    encoder.write(column: deleted.map { Int32($0.contesting.count) })
    encoder.write(column: entities)
    encoder.write(column: deletionCounts)
  }

  /// Reads the presences of `entityCount` entities, in pages, and lays their touches out anew,
  /// without gaps.
  init(
    from decoder: inout ColumnDecoder, entityCount: Int, _ names: FoldNames
  ) throws(ColumnFault) {
    self.init()
    let live = try decoder.touches(names)
    var start = 0
    for count in try decoder.counts(entityCount, total: live.count) {
      var span = Span(start: Int32(touches.count), count: count)
      if count > 0 {
        let order = Int32.bitWidth - (count - 1).leadingZeroBitCount
        span.capacity = 1 << Int32(order)
        for place in 0..<Int(span.capacity) {
          touches.append(live[start + min(place, Int(count) - 1)])
        }
      }
      spans.append(span)
      start += Int(count)
    }
    try decodeDeletions(from: &decoder, names)
    paginate()
  }

  private mutating func decodeDeletions(
    from decoder: inout ColumnDecoder, _ names: FoldNames
  ) throws(ColumnFault) {
    let deleted = try decoder.touches(names)
    let contesting = try decoder.touches(names)
    let contestingCounts = try decoder.counts(deleted.count, total: contesting.count)
    let entities: [Int32] = try decoder.column(below: spans.count)
    let counts = try decoder.counts(entities.count, from: 1, total: deleted.count)
    var start = 0
    let all = deleted.indices.map { index in
      let end = start + Int(contestingCounts[index])
      defer { start = end }
      return Deletion(touch: deleted[index], contesting: Array(contesting[start..<end]))
    }
    var first = 0
    for (index, entity) in entities.enumerated() {
      guard spans[Int(entity)].deletions < 0 else { throw ColumnFault() }
      spans[Int(entity)].deletions = Int32(index)
      let end = first + Int(counts[index])
      deletions.append(EntityDeletions(entity: entity, live: Array(all[first..<end])))
      first = end
    }
  }
}
