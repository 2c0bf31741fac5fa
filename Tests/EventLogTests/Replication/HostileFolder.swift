import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// A flaw of a shared folder and the outcome of a sync with it.
struct HostileFolder: Sendable, CustomTestStringConvertible {
  let name: String
  let outcome: String
  let arrange: @Sendable (HostileScene) throws -> Void

  init(
    _ name: String, _ outcome: String, _ arrange: @escaping @Sendable (HostileScene) throws -> Void
  ) {
    self.name = name
    self.outcome = outcome
    self.arrange = arrange
  }

  var testDescription: String { name }

  static let all = ranges + lines + names + specialFiles + frontiers + falseFrontiers + folders

  // MARK: - Files that don't match their names

  private static let ranges = [
    HostileFolder("an empty range", "awaits 1, notes 1") { try $0.putWrong([]) },
    HostileFolder("half a range", "awaits 1, notes 1") {
      try $0.putWrong(Array($0.bytes($0.wrong).prefix(150)))
    },
    HostileFolder("a range without its last LF", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong).dropLast())
    },
    HostileFolder("a range that lacks its last event", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong.dropLast()))
    },
    HostileFolder("a range that lacks its first event", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes(Array($0.wrong.dropFirst())))
    },
    HostileFolder("a range with an event more", "awaits 1, notes 1") {
      try $0.put($0.name(Array($0.wrong.dropLast())), $0.bytes($0.wrong))
    },
    HostileFolder("a range in the wrong order", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong.reversed()))
    },
    HostileFolder("a range with an event twice", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong + [$0.wrong[2]]))
    },
    HostileFolder("a range of another device's events", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.sound))
    },
    HostileFolder("a range of two devices", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong + $0.sound))
    },
    HostileFolder("a range with a changed bit", "awaits 1, notes 1") {
      var bytes = $0.bytes($0.wrong)
      bytes[bytes.firstRange(of: Array("xx".utf8))!.lowerBound] ^= 1
      try $0.putWrong(bytes)
    },
    HostileFolder("a range whose events were forged", "awaits 1, notes 1") {
      let forged = HandmadeDevice.forging($0.wrong[1], before: 0x1234_5678)
      try $0.putWrong($0.bytes([$0.wrong[0], forged, $0.wrong[2]]))
    },
    HostileFolder("a range of what was never begun", "awaits 1") {
      let rest = Array($0.wrong.dropFirst())
      try $0.put($0.name(rest), $0.bytes(rest))
    },
  ]

  // MARK: - Unacceptable lines

  private static let lines = [
    HostileFolder("another user's events", "refuses otherUser") { scene in
      let lines = scene.lines { [$0.join(user: "ben"), $0.event()] }
      try scene.put(scene.name(lines), scene.bytes(lines))
    },
    HostileFolder("a device that has not joined", "refuses notJoined") { scene in
      let lines = scene.lines { [$0.event(), $0.event()] }
      try scene.put(scene.name(lines), scene.bytes(lines))
    },
    HostileFolder("an event that has seen what nobody wrote", "takes 1, awaits 1") { scene in
      let unseen = FullEventID("none-aaaaaaaa:4~00000001")!
      let lines = scene.lines { [$0.join(user: "ada"), $0.event(seeing: [unseen])] }
      try scene.put(scene.name(lines), scene.bytes(lines))
    },
    HostileFolder("a batch without its end", "takes 1, awaits 1") { scene in
      let lines = scene.lines { [$0.join(user: "ada"), $0.event(more: true)] }
      try scene.put(scene.name(lines), scene.bytes(lines))
    },
    HostileFolder("a line longer than any may be", "awaits 1, notes 1") {
      let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineLimits.lineBytesMax + 1)
      try $0.putWrong($0.bytes([$0.wrong[0], long, $0.wrong[2]]))
    },
    HostileFolder("binary in the place of lines", "awaits 1, notes 1") {
      try $0.putWrong((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 11) })
    },
    HostileFolder("NULs in the place of lines", "awaits 1, notes 1") {
      try $0.putWrong([UInt8](repeating: 0, count: $0.bytes($0.wrong).count))
    },
    HostileFolder("lines that end as on Windows", "takes 1 2 3") {
      try $0.putWrong($0.wrong.flatMap { $0 + [0x0D, 0x0A] })
    },
    HostileFolder("a byte order mark", "awaits 1, notes 1") {
      try $0.putWrong([0xEF, 0xBB, 0xBF] + $0.bytes($0.wrong))
    },
    HostileFolder("UTF-16", "awaits 1, notes 1") {
      try $0.putWrong($0.bytes($0.wrong).flatMap { [$0, 0] })
    },
    HostileFolder("JSON without an end of nesting", "awaits 1, notes 1") {
      try $0.putWrong([UInt8](repeating: UInt8(ascii: "["), count: 100_000) + [0x0A])
    },
    HostileFolder("a file of a terabyte", "passes over") {
      try $0.makeSparse($0.name($0.wrong), size: 1 << 40)
    },
  ]

  // MARK: - Names

  /// Other systems may accept only text in names and ignore case.
  private static let nameBytes: [UInt8] = {
    #if os(Linux)
      Array(1...255).filter { $0 != 0x2F && $0 != 0x2E }
    #else
      Array(0x30...0x39) + Array(0x61...0x7A)
    #endif
  }()

  private static func isIDByte(_ byte: UInt8) -> Bool {
    DeviceID(String(decoding: [byte], as: UTF8.self)) != nil
  }

  private static let names = [
    HostileFolder("a name of events without number", "awaits 1, notes 1") {
      try $0.put("wrong-aaaaaaaa_1-9007199254740991_0011223344556677.jsonl", $0.bytes($0.wrong))
    },
    HostileFolder("a name of a number that is none", "passes over") {
      try $0.put("wrong-aaaaaaaa_1-99999999999999999999_0011223344556677.jsonl", "x\n")
    },
    HostileFolder("a name whose last event is before its first", "passes over") {
      try $0.put("wrong-aaaaaaaa_3-1_0011223344556677.jsonl", $0.bytes($0.wrong))
    },
    HostileFolder("a name that begins before the first event", "passes over") {
      try $0.put("wrong-aaaaaaaa_0-3_0011223344556677.jsonl", $0.bytes($0.wrong))
    },
    HostileFolder("a name of another checksum", "awaits 1, notes 1") {
      try $0.put("wrong-aaaaaaaa_1-3_0011223344556677.jsonl", $0.bytes($0.wrong))
    },
    HostileFolder("a range under ten names", "takes 1 2 3") {
      for number in 0..<10 {
        let name = $0.name($0.wrong).replacing(".jsonl", with: " (\(number)).jsonl")
        try $0.put(name, $0.bytes($0.wrong))
      }
    },
    // Each byte that is a valid device ID makes a valid name, whose range is pending.
    HostileFolder("names of every byte", "awaits \(nameBytes.count { isIDByte($0) }), notes 1") {
      scene in
      for byte in nameBytes {
        try scene.put(nameBytes: [byte])
        try scene.put(nameBytes: [byte] + Array("_1-3_0011223344556677.jsonl".utf8))
      }
    },
    HostileFolder("a name as long as names may be", "passes over") {
      try $0.put(String(repeating: "n", count: 249) + ".jsonl", "x\n")
    },
    HostileFolder("a thousand files of others", "passes over") { scene in
      for number in 0..<1000 { try scene.put("photo \(number).jpg", "x") }
    },
    HostileFolder("temporary files that were left", "passes over") { scene in
      for number in 0..<20 { try scene.put(".eventlog-\(number).tmp", scene.bytes(scene.wrong)) }
    },
    HostileFolder("a hidden range", "passes over") {
      try $0.put(".\($0.name($0.wrong))", $0.bytes($0.wrong))
    },
  ]

  // MARK: - Special files

  private static let specialFiles = [
    HostileFolder("a pipe as a range", "passes over") { try $0.makePipe($0.name($0.wrong)) },
    HostileFolder("a socket as a range", "passes over") { try $0.makeSocket($0.name($0.wrong)) },
    HostileFolder("a folder as a range", "passes over") { try $0.makeFolder($0.name($0.wrong)) },
    HostileFolder("a device as a range", "passes over") {
      try $0.link($0.name($0.wrong), to: "/dev/zero")
    },
    HostileFolder("a link to nothing as a range", "passes over") {
      try $0.link($0.name($0.wrong), to: "nothing")
    },
    HostileFolder("a link to itself as a range", "passes over") {
      try $0.link($0.name($0.wrong), to: $0.name($0.wrong))
    },
    HostileFolder("a link out of the folder as a range", "awaits 1, notes 1") {
      try $0.link($0.name($0.wrong), to: "../canary")
    },
    HostileFolder("a link to the folder in itself", "passes over") { try $0.link("more", to: ".") },
    HostileFolder("a pipe as a frontier", "passes over") { try $0.makePipe($0.frontierName()) },
    HostileFolder("a folder as a frontier", "passes over") { try $0.makeFolder($0.frontierName()) },
    HostileFolder("a device as a frontier", "passes over") {
      try $0.link($0.frontierName(), to: "/dev/zero")
    },
    HostileFolder("a link to nothing as a frontier", "passes over") {
      try $0.link($0.frontierName(), to: "nothing")
    },
  ]
}
