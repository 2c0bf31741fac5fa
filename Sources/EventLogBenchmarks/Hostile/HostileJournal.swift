import EventLog

/// Journals that are designed to cost as much as possible, each in a different way.
enum HostileJournal: String, CaseIterable {
  // Devices.
  case devices, deviceChain, manyUsers, adoptions, adoptionsByOne
  case rounds, seenBackwards
  // One row, many writers.
  case deletions, deletionsAndEdits, restorations, edits, counters, counterSets, members
  case setsAfterMany
  // Conflicts.
  case conflictsOfMany, conflictsOfTwo, dayConflicts
  // Histories.
  case forksAtOnePoint, forksAtEachPoint, forkOfForks, gaps, missingDevices, gapsAfterForks
  // Deferred lines.
  case backwards, backwardsDevices, unfinishedBatches, batches, losses, repeated
  // One line.
  case wide, wideTwice, deep, numbers, members80k, escapes, unseen, laterVersion
  // Names.
  case entities, types, fields, settings, refs
  // Invalid lines.
  case damaged, emptyLines, zeros, longLines

  /// Whether one device's history forks thousands of times.
  ///
  /// The cost may grow with the square of the forks: by default, a sync accepts at most 1,000.
  var forksRepeatedly: Bool {
    switch self {
    case .forksAtOnePoint, .forksAtEachPoint, .forkOfForks, .gapsAfterForks: true
    default: false
    }
  }

  /// Returns the journal.
  ///
  /// - Parameter size: The approximate number of bytes.
  func bytes(_ size: Int) -> [UInt8] {
    var lines = HostileLines()
    switch self {
    case .devices, .deviceChain, .manyUsers, .adoptions, .adoptionsByOne:
      writeDevices(&lines, size)
    case .rounds: writeRounds(&lines, size)
    case .seenBackwards: writeSeenBackwards(&lines, size)
    case .deletions, .deletionsAndEdits, .restorations, .edits, .counters, .counterSets, .members:
      writeContest(&lines, size)
    case .setsAfterMany: writeSets(&lines, size)
    case .conflictsOfMany, .conflictsOfTwo, .dayConflicts: writeConflicts(&lines, size)
    case .forksAtOnePoint, .forksAtEachPoint, .forkOfForks, .gaps, .missingDevices,
      .gapsAfterForks:
      writeHistories(&lines, size)
    case .backwards, .backwardsDevices, .unfinishedBatches, .batches, .losses, .repeated:
      writeWaiting(&lines, size)
    case .wide, .wideTwice, .deep, .numbers, .members80k, .escapes, .unseen, .laterVersion:
      writeLines(&lines, size)
    case .entities, .types, .fields, .settings, .refs: writeNames(&lines, size)
    case .damaged, .emptyLines, .zeros, .longLines: writeInvalidLines(&lines, size)
    }
    return lines.bytes
  }

  // MARK: - Devices

  private func writeDevices(_ lines: inout HostileLines, _ size: Int) {
    var last = lines.join("first")
    var number = 0
    while lines.bytes.count < size {
      number += 1
      switch self {
      case .deviceChain: last = lines.join("d\(number)", seen: [last.end!])
      case .manyUsers: last = lines.join("d\(number)", as: "user\(number)")
      case .adoptions:
        last = lines.join("d\(number)", as: number == 1 ? "ada" : "user\(number)")
        let pair: JSONObject = [
          "from": .string("user\(number + 1)"),
          "to": .string(number == 1 ? "ada" : "user\(number)"),
        ]
        lines.write(&last, "user.adopted", pair)
      case .adoptionsByOne:
        lines.write(&last, "user.adopted", ["from": .string("user\(number)"), "to": "ada"])
      default: last = lines.join("d\(number)")
      }
    }
  }

  /// Writes four rounds: each device writes after it has seen the previous round of all devices.
  private func writeRounds(_ lines: inout HostileLines, _ size: Int) {
    let count = max(2, Int((Double(size) / 128).squareRoot()))
    var devices = (0..<count).map { lines.join("d\($0)") }
    for round in 0..<4 {
      let ends = devices.map { $0.end! }
      for index in devices.indices {
        let seen = ends.indices.filter { $0 != index }.map { ends[$0] }
        lines.write(
          &devices[index], "settings.changed", seen: seen, ["k": .string("\(round) \(index)")])
      }
    }
  }

  /// Writes a device that has seen many others, and lists them in reverse order of joining.
  private func writeSeenBackwards(_ lines: inout HostileLines, _ size: Int) {
    var devices: [FullEventID] = []
    while lines.bytes.count < size / 2 {
      devices.append(lines.join("d\(devices.count)").end!)
    }
    var reader = lines.join("reader", seen: devices.suffix(devices.count / 5))
    for end in devices.dropLast(devices.count / 5) {
      lines.write(&reader, "settings.changed", seen: [end], ["k": 1])
    }
  }

  // MARK: - Concurrent writes of one row

  private func writeContest(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    lines.write(&first, "habit.created", on: "habit/read", ["name": "Read", "goal": 1])
    var number: Int64 = 0
    while lines.bytes.count < size {
      number += 1
      var writer = lines.join("d\(number)", seen: [first.end!])
      switch self {
      case .deletions: lines.write(&writer, "habit.deleted", on: "habit/read")
      case .deletionsAndEdits:
        lines.write(&writer, "habit.deleted", on: "habit/read")
        lines.write(
          &writer, "habit.edited", on: "habit/read", ["goal": .number(JSONNumber(number))])
      case .restorations:
        lines.write(&writer, "habit.deleted", on: "habit/read")
        lines.write(&writer, "habit.restored", on: "habit/read")
        lines.write(&writer, "habit.deleted", on: "habit/read")
      case .edits:
        lines.write(&writer, "habit.edited", on: "habit/read", ["name": .string("Read \(number)")])
      case .counters, .counterSets:
        let isSet = self == .counterSets
        lines.write(
          &writer, isSet ? "completion.recorded" : "completion.advanced", on: "habit/read",
          ["date": "2026-01-01", isSet ? "progress" : "by": .number(JSONNumber(number))])
      default:
        let isIncluded = number % 2 == 0
        lines.write(
          &writer, isIncluded ? "settings.included" : "settings.excluded",
          ["key": "allergens", "members": ["nuts", .string("m\(number % 100)")]])
      }
    }
  }

  private func writeSets(_ lines: inout HostileLines, _ size: Int) {
    var seen: [FullEventID] = []
    while lines.bytes.count < size / 2 {
      var writer = lines.join("d\(seen.count)")
      lines.write(
        &writer, "completion.advanced", on: "habit/read", ["date": "2026-01-01", "by": 1])
      seen.append(writer.end!)
    }
    var setter = lines.join("setter", seen: seen)
    var progress: Int64 = 0
    while lines.bytes.count < size {
      progress += 1
      lines.write(
        &setter, "completion.recorded", on: "habit/read",
        ["date": "2026-01-01", "progress": .number(JSONNumber(progress))])
    }
  }

  // MARK: - Conflicts

  private func writeConflicts(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    let perDevice = self == .conflictsOfMany ? 1 : Int.max
    var (left, right) = (first, first)
    var number = 0
    while lines.bytes.count < size {
      let entity = "habit/h\(number)"
      lines.write(&first, "habit.created", on: entity, ["name": "Read"])
      if number % perDevice == 0 {
        left = lines.join("l\(number)")
        right = lines.join("r\(number)")
      }
      number += 1
      for name in ["Left", "Right"] {
        var writer = name == "Left" ? left : right
        if self == .dayConflicts {
          lines.write(
            &writer, "completion.recorded", on: entity, seen: [first.end!],
            ["date": "2026-01-01", "progress": name == "Left" ? 1 : 2])
        } else {
          lines.write(
            &writer, "habit.edited", on: entity, seen: [first.end!], ["name": .string(name)])
        }
        if name == "Left" { left = writer } else { right = writer }
      }
    }
  }

  // MARK: - Histories

  private func writeHistories(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    let start = first
    var others: [HostileLines.Writer] = []
    var number = 0
    while lines.bytes.count < size {
      number += 1
      let data: JSONObject = ["k": .string("\(number)")]
      switch self {
      case .forksAtOnePoint:
        first = start
        lines.write(&first, "settings.changed", data)
      case .forksAtEachPoint, .forkOfForks, .gapsAfterForks:
        var side = first
        lines.write(&side, "settings.changed", ["side": .string("\(number)")])
        if self == .gapsAfterForks, number % 4 == 0 { others.append(side) }
        lines.write(&first, "settings.changed", data)
        // The later continuation of each fork, `first`, starts a new branch.
        if self == .gapsAfterForks, number % 4 == 1 {
          lines.write(&first, "settings.changed", seen: [missing("first", Int64(number) * 7)], data)
        }
      case .gaps:
        lines.write(
          &first, "settings.changed", seen: [missing("lost", Int64(number) * 2)], data)
      default:
        lines.write(&first, "settings.changed", seen: [missing("lost\(number)", 5)], data)
      }
    }
  }

  private func missing(_ name: String, _ sequence: Int64) -> FullEventID {
    FullEventID(
      device: DeviceID("\(name)-aaaaaaaa")!, sequence: sequence,
      chain: UInt32(truncatingIfNeeded: sequence &* 2_654_435_761))
  }

  // MARK: - Deferred lines

  private func writeWaiting(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    let start = lines.bytes.count
    var last = first
    var number = 0
    while lines.bytes.count < size {
      number += 1
      let data: JSONObject = ["k": .string("\(number)")]
      switch self {
      case .backwardsDevices: last = lines.join("d\(number)", seen: [last.end!])
      case .unfinishedBatches:
        last = lines.join("d\(number)")
        lines.write(&last, "settings.changed", more: true, data)
        lines.write(&last, "settings.changed", more: true, data)
      case .batches: lines.write(&first, "settings.changed", more: number % 4096 > 0, data)
      case .losses:
        let lost = FullEventID(
          device: DeviceID("lost\(number)-aaaaaaaa")!, sequence: 9, chain: UInt32(number))
        lines.write(
          &first, "device.lost", seen: [lost],
          ["first": 1, "last": .string(lost.description)])
      case .repeated:
        if number == 1 { lines.write(&first, "settings.changed", data) }
        lines.write(raw: lines.bytes[start...].prefix { $0 != 0x0A } + [0x0A])
      default: lines.write(&first, "settings.changed", data)
      }
    }
    if self == .backwards || self == .backwardsDevices { lines.reverse(from: start) }
  }

  // MARK: - Large lines

  private func writeLines(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    lines.write(&first, "habit.created", on: "habit/read", ["name": "Read"])
    var second = lines.join("second", seen: [first.end!])
    var number: Int64 = 0
    while lines.bytes.count < size {
      number += 1
      let length = min(1_000_000, size / 4)
      switch self {
      case .wide: lines.write(&first, "habit.edited", on: "habit/read", wide(length, number))
      case .wideTwice:
        lines.write(&first, "habit.edited", on: "habit/read", wide(length, 0, value: number))
        lines.write(&second, "habit.edited", on: "habit/read", wide(length, 0, value: -number))
      case .deep:
        let value = (0..<61).reduce(JSONValue.number(JSONNumber(number))) { value, _ in [value] }
        lines.write(&first, "habit.edited", on: "habit/read", ["name": value])
      case .numbers:
        let digits = String(repeating: "9", count: 30)
        lines.write(&first) { sequence in
          head(sequence, "habit.edited")
            + #""entity":"habit/read","data":{"goal":\#(digits)e6,"x":-0.\#(digits)E-20}"#
        }
      case .members80k:
        let members = (0..<(length / 12)).map { JSONValue.string("m\(number)x\($0)") }
        lines.write(
          &first, "settings.included", ["key": "allergens", "members": .array(members)])
      case .escapes:
        let text = String(repeating: #"\u0041\ud83d\ude00\/"#, count: 20)
        lines.write(&first) { sequence in
          head(sequence, "habit.edited")
            + #" "entity" : "habit/read" , "data" : { "name" : "\#(text)" }"#
        }
      case .unseen:
        let text = String(repeating: "\u{200D}\u{1F469}\u{202E}", count: length / 10)
        lines.write(&first, "habit.edited", on: "habit/read", ["name": .string(text)])
        lines.write(&first, "settings.changed", ["k\(number)": .string(text)])
      default:
        lines.write(&first) { sequence in
          #"{"id":"first-aaaaaaaa:\#(sequence)","v":2,"entity":"habit/h\#(sequence)","op":[1]"#
        }
      }
    }
  }

  private func head(_ sequence: Int64, _ type: String) -> String {
    #"{"id":"first-aaaaaaaa:\#(sequence)","at":"2026-01-01T08:00:00.000Z","type":"\#(type)","#
  }

  private func wide(_ length: Int, _ number: Int64, value: Int64 = 1) -> JSONObject {
    JSONObject(
      (0..<(length / 12)).map {
        .init(name: "f\(number)x\($0)", value: .number(JSONNumber(value)))
      })
  }

  // MARK: - Names

  private func writeNames(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    var number = 0
    while lines.bytes.count < size {
      number += 1
      switch self {
      case .entities: lines.write(&first, "habit.created", on: "habit/h\(number)", ["name": "Read"])
      case .types: lines.write(&first, "kind\(number).made\(number)", on: "kind\(number)/x")
      case .fields:
        lines.write(
          &first, "habit.edited", on: "habit/read",
          JSONObject([.init(name: "f\(number)", value: 1)]))
      case .settings:
        lines.write(&first, "settings.changed", JSONObject([.init(name: "s\(number)", value: 1)]))
      default:
        lines.write(&first) { sequence in
          head(sequence, "settings.changed") + #""ref":"r\#(sequence)","data":{"k":1}"#
        }
      }
    }
  }

  // MARK: - Invalid lines

  private func writeInvalidLines(_ lines: inout HostileLines, _ size: Int) {
    var first = lines.join("first")
    while lines.bytes.count < size {
      switch self {
      case .damaged:
        lines.write(&first, "settings.changed", ["k": "value"])
        lines.write(raw: #"{"id":"first-aaaaaaaa:9","at":"2026-01-01T08:00:00.000Z"}"#.utf8)
        lines.write(raw: [0x0A])
      case .emptyLines: lines.write(raw: [UInt8](repeating: 0x0A, count: 4096))
      case .zeros: lines.write(raw: [UInt8](repeating: 0, count: 4096))
      default:
        lines.write(raw: [UInt8](repeating: UInt8(ascii: "x"), count: 1_200_000) + [0x0A])
      }
    }
    lines.write(&first, "settings.changed", ["k": "end"])
  }
}
