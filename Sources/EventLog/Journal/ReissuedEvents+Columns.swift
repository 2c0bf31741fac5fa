extension ReissuedEvents {
  func encode(into encoder: inout ColumnEncoder) {
    let firsts = firsts.sorted { $0.key < $1.key }
    encoder.write(column: firsts.map { Int32($0.key) })
    encoder.write(column: firsts.map(\.value.sequence))
    encoder.write(strings: firsts.map { Array($0.value.was.utf8)[...] })
    let superseded = superseded.sorted { $0.key < $1.key }
    encoder.write(column: superseded.map { Int32($0.key) })
    encoder.write(strings: superseded.map { Array($0.value.utf8)[...] })
    identities.encode(into: &encoder)
    Self.write(counted, into: &encoder)
    let devices = aliases.keys.sorted()
    let all = devices.flatMap { aliases[$0]! }
    encoder.write(column: devices.map { Int32($0) })
    encoder.write(column: devices.map { Int32(aliases[$0]!.count) })
    encoder.write(column: all.map(\.sequence))
    Self.write(all.map(\.counted), into: &encoder)
    encoder.write(column: all.map(\.before))
    history.encode(into: &encoder)
  }

  private static func write(_ names: [Name], into encoder: inout ColumnEncoder) {
    encoder.write(column: names.map(\.device))
    encoder.write(column: names.map(\.sequence))
  }

  /// - Parameter lasts: the last event of each device.
  init(from decoder: inout ColumnDecoder, lasts: [Int64]) throws(ColumnFault) {
    try decodeFirsts(from: &decoder, lasts)
    let devices: [Int32] = try decoder.column(below: lasts.count)
    let texts = try decoder.strings()
    guard texts.count == devices.count else { throw ColumnFault() }
    for (device, text) in zip(devices, texts) {
      superseded[Int(device)] = try Self.name(text)
    }
    identities = try ByteInterner(from: &decoder)
    counted = try Self.names(from: &decoder, lasts)
    guard identities.count == counted.count else { throw ColumnFault() }
    try decodeAliases(from: &decoder, lasts)
    history = try ClockHistory(from: &decoder, deviceCount: lasts.count)
  }

  private mutating func decodeFirsts(
    from decoder: inout ColumnDecoder, _ lasts: [Int64]
  ) throws(ColumnFault) {
    let names = try Self.names(from: &decoder, lasts)
    let texts = try decoder.strings()
    guard texts.count == names.count else { throw ColumnFault() }
    for (name, text) in zip(names, texts) {
      guard firsts[Int(name.device)] == nil else { throw ColumnFault() }
      firsts[Int(name.device)] = First(sequence: name.sequence, was: try Self.name(text))
    }
  }

  /// The name of an event with its checksum, as `was` says it.
  private static func name(_ text: ArraySlice<UInt8>) throws(ColumnFault) -> String {
    guard let was = String(validating: text, as: UTF8.self),
      Reissue(device: DeviceID(trusted: ""), was: was) != nil
    else { throw ColumnFault() }
    return was
  }

  private mutating func decodeAliases(
    from decoder: inout ColumnDecoder, _ lasts: [Int64]
  ) throws(ColumnFault) {
    let devices: [Int32] = try decoder.column(below: lasts.count)
    let counts: [Int32] = try decoder.column(devices.count, in: 1...Int64(Int32.max))
    let sequences: [Int64] = try decoder.column(in: 1...LineLimits.sequenceMax)
    let names = try Self.names(from: &decoder, lasts)
    let before: [Int64] = try decoder.column(sequences.count, in: 0...LineLimits.sequenceMax)
    guard names.count == sequences.count,
      counts.reduce(0, { $0 + Int($1) }) == sequences.count
    else { throw ColumnFault() }
    var place = 0
    for (device, count) in zip(devices, counts) {
      guard aliases[Int(device)] == nil else { throw ColumnFault() }
      var last: Int64 = 0
      for index in place..<(place + Int(count)) {
        let sequence = sequences[index]
        guard sequence > last, sequence <= lasts[Int(device)], before[index] < sequence,
          names[index].device != device
        else { throw ColumnFault() }
        last = sequence
        aliases[Int(device), default: []].append(
          Alias(sequence: sequence, counted: names[index], before: before[index]))
        otherNames[names[index], default: []].append(Name(device: device, sequence: sequence))
      }
      place += Int(count)
    }
  }

  private static func names(
    from decoder: inout ColumnDecoder, _ lasts: [Int64]
  ) throws(ColumnFault) -> [Name] {
    let devices: [Int32] = try decoder.column(below: lasts.count)
    let sequences: [Int64] = try decoder.column(devices.count, in: 1...LineLimits.sequenceMax)
    guard zip(devices, sequences).allSatisfy({ $1 <= lasts[Int($0)] }) else { throw ColumnFault() }
    return zip(devices, sequences).map { Name(device: $0, sequence: $1) }
  }
}
