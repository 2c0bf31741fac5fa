import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting

/// Counts the requests of a month for each cloud: three devices, six syncs a day each, 20 events a
/// day.
struct CloudCosts {
  private static let providers = ["s3", "webdav", "firestore"]

  func run() async throws {
    for share in [1, 0.3] {
      print("\(Int(share * 100)) % of the syncs after something was written:")
      for provider in Self.providers { try await month(provider, share).print(provider) }
    }
  }

  /// Simulates a month.
  ///
  /// - Parameter share: The share of syncs that follow events of the device itself.
  private func month(_ provider: String, _ share: Double) async throws -> Month {
    let clock = AdjustableClock()
    let model = CloudModel { clock.now }
    var devices: [TemporaryStore] = []
    for (index, name) in ["phone", "tablet", "desk"].enumerated() {
      devices.append(
        try await TemporaryStore(
          device: name, clock: AdjustableClock(sharingTimeOf: clock), seed: UInt64(index + 1)))
    }
    var (month, random) = (Month(), SplitMix64(seed: 7))
    // Events that aren't due yet are left to a later sync.
    var (owed, number) = (0.0, 0)
    for _ in 0..<(30 * 6) {
      for device in devices {
        clock.advance(by: .seconds(80 * 60))
        owed += 20.0 / 18
        if Double.random(in: 0..<1, using: &random) < share {
          while owed >= 1 {
            number += 1
            owed -= 1
            _ = try await device.store.append(
              [EventDraft(type: "settings.changed", data: ["font": .number(.init(Int64(number)))])],
              allowingUnknownTypes: true)
          }
        }
        // Each sync starts as in a new process.
        try await device.reopen()
        let remote = ObjectRemote(Self.storage(provider, model))
        let report = try await device.store.sync(with: remote)
        month.add(model.takeCount(), isIdle: report.pulledCount + report.pushedCount == 0)
        month.objectsMax = max(month.objectsMax, model.objectCount)
      }
    }
    return month
  }

  private static func storage(_ provider: String, _ model: CloudModel) -> any ObjectStorage {
    let client = CloudClient(model)
    switch provider {
    case "s3":
      return BucketStorage(
        BucketLocation(bucket: "diary", prefix: "ada", region: "eu-central-1", endpoint: nil),
        credentials: { BucketCredentials(accessKeyID: "key", secretAccessKey: "secret") },
        client: client, clock: .system)
    case "firestore":
      return FirestoreStorage(
        FirestoreLocation(project: "demo", user: "ada"), token: { _ in "token" }, client: client)
    default:
      return WebDAVStorage(
        WebDAVLocation(url: "https://example.org/ada")!, credentials: { nil }, client: client,
        random: .system)
    }
  }
}

/// The requests of a month's syncs.
private struct Month {
  private var busy = CloudModel.Count()
  private var idle = CloudModel.Count()
  private var (busyCount, idleCount) = (0, 0)
  /// The maximum of a single sync.
  private var (busyMost, idleMost) = (CloudModel.Count(), CloudModel.Count())
  var objectsMax = 0

  mutating func add(_ count: CloudModel.Count, isIdle: Bool) {
    if isIdle {
      idle += count
      idleCount += 1
      idleMost.reads = max(idleMost.reads, count.reads + count.writes + count.removes)
    } else {
      busy += count
      busyCount += 1
      busyMost.reads = max(busyMost.reads, count.reads)
      busyMost.writes = max(busyMost.writes, count.writes)
    }
  }

  func print(_ provider: String) {
    func each(_ sum: Int, _ count: Int) -> String {
      let tenths = count == 0 ? 0 : (sum * 10 + count / 2) / count
      return "\(tenths / 10).\(tenths % 10)"
    }
    let idleSum = idle.reads + idle.writes + idle.removes
    Swift.print(
      """
        \(provider): \(busyCount) busy syncs: \(each(busy.reads, busyCount)) reads \
      (at most \(busyMost.reads)), \(each(busy.writes, busyCount)) writes \
      (at most \(busyMost.writes)), \(each(busy.removes, busyCount)) removes; \
      \(idleCount) idle: \(each(idleSum, idleCount)) requests (at most \(idleMost.reads)); \
      at most \(objectsMax) objects; \(price(provider))
      """)
  }

  private func price(_ provider: String) -> String {
    var sum = busy
    sum += idle
    switch provider {
    // $0.06 for 100,000 reads, $0.18 for writes, $0.02 for deletes.
    case "firestore":
      let documents =
        "\(sum.documentsRead) documents read, \(sum.documentsWritten) written,"
        + " \(sum.documentsDeleted) deleted"
      let millionths =
        sum.documentsRead * 6 + sum.documentsWritten * 18 + sum.documentsDeleted * 2
      return "\(documents): \(Self.dollars(millionths * 100))"
    // $0.005 for 1,000 PUT and LIST requests, $0.0004 for GET.
    case "s3":
      let gets = sum.reads - sum.listings
      return Self.dollars((sum.writes + sum.listings) * 5000 + gets * 400)
    default: return "no price"
    }
  }

  /// Formats billionths of a dollar.
  private static func dollars(_ billionths: Int) -> String {
    let text = String(billionths / 100_000)
    return "$0." + String(repeating: "0", count: max(0, 4 - text.count)) + text
  }
}
