import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Foundation

/// Times requests to clouds.
enum CloudTimes {
  /// Puts objects of 4 KB into a remote, one after the other.
  static func put(_ address: String, count: Int) async throws {
    let environment = CloudEnvironment(
      variable: { ProcessInfo.processInfo.environment[$0] },
      file: { path in try? String(contentsOfFile: path, encoding: .utf8) })
    let storage = try CloudAddress(address).storage(environment)
    let bytes = [UInt8](repeating: 0x61, count: 4096)
    let run = RandomText.system.next(8)
    let time = try await ContinuousClock().measure {
      for number in 1...count {
        let name = "dev-\(run)_\(number)-\(number)_0a0a0a0a0a0a0a0a.jsonl"
        guard try await storage.put(name, bytes) else { return print("\(name) is taken") }
      }
    }
    print("\(count) objects: \(time / .seconds(1)) s")
  }

  /// Times appends with a silent remote and with none, alternately.
  static func silence(appends: Int, rounds: Int) async throws {
    let server = SilentServer()
    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      for index in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let device = try await TemporaryStore()
        var replicator: Replicator?
        if index == 1 {
          let url = "http://127.0.0.1:\(server.port)/ada"
          let storage = try WebDAVStorage(url: url, credentials: { nil })
          replicator = device.store.replicate(with: [ObjectRemote(storage)])
        }
        let time = try await ContinuousClock().measure {
          for number in 1...appends {
            _ = try await device.store.append(
              [EventDraft(type: "settings.changed", data: ["font": .number(.init(Int64(number)))])],
              allowingUnknownTypes: true)
          }
        }
        // The first round is a warm-up.
        if round > 0 { times[index].append(time / .seconds(1)) }
        await replicator?.stop()
        try? await device.store.close()
      }
    }
    let ratios = zip(times[1], times[0]).map { $0 / $1 }.sorted()
    print("\(appends) appends, \(rounds) rounds in turn, seconds:")
    print("  alone: \(times[0].sorted())\n  with a silent remote: \(times[1].sorted())")
    print("  ratios: \(ratios), median \(ratios[ratios.count / 2])")
  }
}

/// A server that accepts connections, but never answers.
private struct SilentServer {
  let port: UInt16

  init() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Connections are never accepted, but the system completes those that fit into its queue.
    _ = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
  }
}
