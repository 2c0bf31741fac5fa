import EventLogTesting
import Foundation

@testable import EventLog

extension HostileFolder {
  // MARK: - Invalid frontiers

  static let frontiers = [
    HostileFolder("an empty frontier", "notes 1") { try $0.stateRaw([]) },
    HostileFolder("a frontier of another checksum", "notes 1") {
      try $0.put($0.frontierName(), #"{"version":1,"user":"ada","tips":[],"missing":[]}"# + "\n")
    },
    HostileFolder("a frontier that is no JSON", "notes 1") {
      try $0.stateRaw(Array("hello\n".utf8))
    },
    HostileFolder("a frontier of other members", "notes 1") {
      try $0.stateRaw(Array(#"{"version":1,"tips":{},"user":["ada"]}"#.utf8) + [0x0A])
    },
    HostileFolder("a frontier of a later version", "notes 1") {
      try $0.stateRaw(Array(#"{"version":2,"user":"ada","tips":[],"missing":[]}"#.utf8) + [0x0A])
    },
    HostileFolder("a frontier of a gigabyte", "passes over") {
      try $0.makeSparse($0.frontierName(), size: 1 << 30)
    },
  ]

  // MARK: - False frontiers

  static let falseFrontiers = [
    HostileFolder("a frontier of events that are not there", "awaits 1") {
      try $0.state([ForkedDevice.event($0.wrong[2])])
    },
    HostileFolder("a frontier of events without number", "awaits 1") {
      try $0.state([
        FullEventID(
          device: DeviceID("wrong-aaaaaaaa")!, sequence: LineLimits.sequenceMax, chain: 1)
      ])
    },
    HostileFolder("a frontier of a thousand devices", "awaits 1000") { scene in
      try scene.state(
        (0..<1000).map {
          FullEventID(device: DeviceID("many-\($0)")!, sequence: 1, chain: 1)
        }.sorted())
    },
    HostileFolder("a frontier that calls lost what is there", "passes over") {
      let tip = ForkedDevice.event($0.sound[2])
      try $0.state([tip], missing: [EventRange(from: 1, to: tip)])
    },
    HostileFolder("a frontier of another user", "passes over") { try $0.state([], of: "ben") },
    HostileFolder("a frontier of another history", "awaits 1") {
      let tip = ForkedDevice.event($0.sound[2])
      try $0.state([
        FullEventID(device: tip.device, sequence: tip.sequence, chain: ~tip.chain)
      ])
    },
    HostileFolder("a frontier with the last number that there is", "passes over") {
      try $0.state([ForkedDevice.event($0.sound[2])], number: LineLimits.sequenceMax)
    },
  ]

  // MARK: - Invalid folders

  static let folders = [
    HostileFolder("a file in the place of the folder", "error inputOutput") {
      try $0.replaceFolder { try Data().write(to: URL(fileURLWithPath: $0)) }
    },
    HostileFolder("a pipe in the place of the folder", "error inputOutput") {
      try $0.replaceFolder { _ = mkfifo($0, 0o600) }
    },
    HostileFolder("a link to itself in the place of the folder", "error inputOutput") {
      try $0.replaceFolder {
        try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0)
      }
    },
    HostileFolder("a link to nothing in the place of the folder", "error inputOutput") {
      try $0.replaceFolder {
        try FileManager.default.createSymbolicLink(
          atPath: $0, withDestinationPath: "/nonexistent/folder")
      }
    },
    HostileFolder("a device in the place of the folder", "error inputOutput") {
      try $0.replaceFolder {
        try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/null")
      }
    },
    HostileFolder("a link to the folder in its place", "passes over") { scene in
      try scene.replaceFolder {
        try FileManager.default.createSymbolicLink(
          atPath: $0, withDestinationPath: scene.movedFolder)
      }
    },
    HostileFolder("a journal among the files", "passes over") {
      try $0.put("ada.jsonl", $0.bytes($0.wrong))
    },
    HostileFolder("a side folder among the files", "passes over") {
      try $0.makeFolder("ada.eventlog")
    },
    HostileFolder("a folder of journals in its place", "error usage") { scene in
      try scene.replaceFolder {
        try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false)
      }
      try scene.put("ada.jsonl", scene.bytes(scene.wrong))
    },
  ]
}
