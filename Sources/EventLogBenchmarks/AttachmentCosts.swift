import EventLog
import EventLogAttachments
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Foundation

/// Swift Testing has a type of this name, too.
private typealias Attachment = EventLogAttachments.Attachment

/// Times the work with many attachments, and the sending of a large one.
struct AttachmentCosts {
  private struct Photo: Record {
    var content: Attachment?

    static let schema = Schema<Photo>("photo", [.register("content", \.content)])
  }

  let count: Int

  /// Twice as many attachments may take this many times as long.
  private static let ratioMax = 2.5
  /// Shorter times show the noise of the machine.
  private static let secondsMin = 0.2
  /// The memory beside the store and its state.
  private static let bytesMax = 100 << 20

  func run() async throws {
    let (half, _) = try await measure(max(1, count / 2))
    let (whole, stateBytes) = try await measure(count)
    var isLinear = true
    print("\(count / 2) and \(count) attachments, seconds:")
    for (before, after) in zip(half, whole) {
      let ratio = after.seconds / max(before.seconds, 0.001)
      let isTooMuch = ratio > Self.ratioMax && after.seconds > Self.secondsMin
      isLinear = isLinear && !isTooMuch
      let numbers = [before.seconds, after.seconds, ratio].map { String(format: "%8.2f", $0) }
      print("  \(numbers.joined())\(isTooMuch ? " !" : "  ") \(after.name)")
    }
    let peak = Self.memory("VmHWM:")
    print("memory: at most \(peak >> 20) MiB, of which the state takes \(stateBytes >> 20) MiB")
    if !isLinear || peak - stateBytes > Self.bytesMax { exit(1) }
  }

  /// - Returns: The times of the steps, and the memory in use with the state of all records.
  private func measure(
    _ count: Int
  ) async throws -> (times: [(name: String, seconds: Double)], stateBytes: Int) {
    let device = try await TemporaryStore(records: Photo.self)
    let (store, place) = (device.store, FolderRemote(path: device.folder.file("Shared")))
    var times: [(name: String, seconds: Double)] = []
    func time(_ name: String, _ body: () async throws -> Int) async throws {
      var found = 0
      let time = try await ContinuousClock().measure { found = try await body() }
      // Skipped work is noticed.
      guard found == count else { fatalError("\(name): \(found) of \(count)") }
      times.append((name, time / .seconds(1)))
    }
    var photos: [Attachment] = []
    try await time("attach") {
      for number in 0..<count {
        photos.append(try await store.attach(Array("photo \(number)".utf8), type: "text/plain"))
      }
      return photos.count
    }
    try await time("name, 1,000 in a batch") {
      for start in stride(from: 0, to: count, by: 1000) {
        let events = photos[start..<min(start + 1000, count)].enumerated().map { index, photo in
          EventDraft(
            type: "photo.created", entity: EntityID("photo/p\(start + index)"),
            data: ["content": photo.json])
        }
        _ = try await store.append(events)
      }
      return store.snapshot.all(Photo.self).count
    }
    photos = []
    let stateBytes = Self.memory("VmRSS:")
    try await time("list what the state names") { store.snapshot.attachmentUses.count }
    try await time("check the files") {
      count - (try AttachmentFolder(beside: store.path).damaged().count)
    }
    _ = try await store.sync(with: place)
    try await time("send to a folder") {
      await Attachments(of: store, at: [place]).sync().reduce(0) { $0 + $1.sent.count }
    }
    try await time("sync again") {
      let reports = await Attachments(of: store, at: [place]).sync()
      return reports.allSatisfy { $0.error == nil && $0.sent.isEmpty } ? count : 0
    }
    try await time("plan a release") {
      let report = try await Attachments(of: store, at: [place]).release(dryRun: true)
      return report.released.isEmpty ? count : 0
    }
    try await time("remove all here by a limit") {
      let options = AttachmentOptions(fetching: .upTo(bytes: 0))
      let reports = await Attachments(of: store, at: [place], options: options).sync()
      return reports.reduce(0) { $0 + $1.removed.count }
    }
    try await time("fetch all") {
      await Attachments(of: store, at: [place]).sync().reduce(0) { $0 + $1.received.count }
    }
    try await device.close()
    return (times, stateBytes)
  }

  /// The memory of this process in bytes, or 0 where it isn't known.
  private static func memory(_ member: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(member) }
    return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
  }

  // MARK: - One large attachment

  /// Attaches a file, and prints the milliseconds that sending it takes.
  ///
  /// A small attachment goes first: it creates the folder of the attachments at the place.
  static func put(_ file: String, to address: String) async throws {
    let environment = CloudEnvironment(
      variable: { ProcessInfo.processInfo.environment[$0] },
      file: { path in try? String(contentsOfFile: path, encoding: .utf8) })
    let remote = ObjectRemote(try CloudAddress(address).storage(environment))
    let device = try await TemporaryStore(records: Photo.self)
    let attachments = Attachments(of: device.store, at: [remote])
    let first = try await device.store.attach(Array("first".utf8), type: "text/plain")
    _ = try await device.create(Photo.self) { $0.content = first }
    _ = await attachments.sync()
    let photo = try await device.store.attach(fileAt: file)
    _ = try await device.create(Photo.self) { $0.content = photo }
    var reports: [AttachmentReport] = []
    let time = await ContinuousClock().measure { reports = await attachments.sync() }
    guard reports.first?.sent == [photo] else { fatalError("\(reports)") }
    print(Int(time / .milliseconds(1)), "peak \(memory("VmHWM:") >> 20) MiB")
    try await device.close()
  }
}
