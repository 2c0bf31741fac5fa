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
    // Sorted, so that equal states are written alike, whatever lists were free in between.
    let lasting = deletions.indices.map { deletions[$0] }.filter { !$0.live.isEmpty }
      .sorted { $0.entity < $1.entity }
    encoder.write(column: lasting.map(\.entity))
    encoder.write(column: lasting.map { $0.isContested ? 1 : 0 as UInt8 })
    Self.encode(lasting.map(\.live), into: &encoder)
    Self.encode(lasting.map(\.earlier), into: &encoder)
    let restored = restorations.sorted { $0.key < $1.key }
    encoder.write(column: restored.map(\.key))
    encoder.write(column: restored.map { Int32($0.value.count) })
    encoder.write(points: restored.flatMap(\.value))
  }

  private static func encode(_ all: [[Int32: [Touch]]], into encoder: inout ColumnEncoder) {
    let lists = all.map { $0.sorted { $0.key < $1.key }.flatMap(\.value) }
    encoder.write(touches: lists.flatMap(\.self))
    encoder.write(column: lists.map { Int32($0.count) })
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
      index(Int32(spans.count - 1))
      start += Int(count)
    }
    try decodeDeletions(from: &decoder, names)
    try decodeRestorations(from: &decoder, names)
    paginate()
  }

  private mutating func decodeRestorations(
    from decoder: inout ColumnDecoder, _ names: FoldNames
  ) throws(ColumnFault) {
    let entities: [Int32] = try decoder.column(below: spans.count)
    let counts: [Int32] = try decoder.column(
      entities.count, in: 0...Int64(Self.restorationsMax))
    let points = try decoder.points(names)
    guard counts.reduce(0, { $0 + Int($1) }) == points.count,
      zip(entities, entities.dropFirst()).allSatisfy(<)
    else { throw ColumnFault() }
    var start = 0
    for (index, entity) in entities.enumerated() {
      let end = start + Int(counts[index])
      restorations[entity] = Array(points[start..<end])
      start = end
    }
  }

  private mutating func decodeDeletions(
    from decoder: inout ColumnDecoder, _ names: FoldNames
  ) throws(ColumnFault) {
    let entities: [Int32] = try decoder.column(below: spans.count)
    let contested: [UInt8] = try decoder.column(entities.count, in: 0...1)
    let live = try Self.touches(of: entities.count, from: &decoder, names)
    let earlier = try Self.touches(of: entities.count, from: &decoder, names)
    for (index, entity) in entities.enumerated() {
      guard spans[Int(entity)].deletions < 0, !live[index].isEmpty else { throw ColumnFault() }
      spans[Int(entity)].deletions = Int32(index)
      deletions.append(
        EntityDeletions(
          entity: entity, live: live[index], earlier: earlier[index],
          isContested: contested[index] == 1))
    }
  }

  private static func touches(
    of count: Int, from decoder: inout ColumnDecoder, _ names: FoldNames
  ) throws(ColumnFault) -> [[Int32: [Touch]]] {
    let touches = try decoder.touches(names)
    var start = 0
    var all: [[Int32: [Touch]]] = []
    for count in try decoder.counts(count, total: touches.count) {
      let end = start + Int(count)
      all.append(Dictionary(grouping: touches[start..<end], by: \.dot.branch))
      start = end
    }
    return all
  }
}
