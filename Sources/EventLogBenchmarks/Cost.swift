import Foundation

/// A cost in seconds of wall clock and processor time.
struct Cost {
  var wall: Double
  var processor: Double

  static func of(_ body: () async throws -> Void) async throws -> Cost {
    let before = processorSeconds
    let wall = try await ContinuousClock().measure(body)
    return Cost(wall: wall / .seconds(1), processor: processorSeconds - before)
  }

  /// The processor time of this process in user and kernel mode.
  private static var processorSeconds: Double {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  static func print(_ name: String, _ costs: [Cost], comparedTo others: [Cost] = []) {
    var text = "  \(name): \(spread(costs.map { $0.wall * 1000 })) ms"
    text += ", processor \(spread(costs.map { $0.processor * 1000 })) ms"
    if !others.isEmpty {
      let pairs = zip(costs, others)
      text += "; ratio \(spread(pairs.map { $0.wall / $1.wall }))"
      text += ", of processor time \(spread(pairs.map { $0.processor / $1.processor }))"
    }
    Swift.print(text)
  }

  /// Returns the median, the minimum and the maximum as text.
  private static func spread(_ values: [Double]) -> String {
    let sorted = values.sorted()
    func text(_ value: Double) -> String { String(format: "%.2f", value) }
    return "\(text(sorted[sorted.count / 2])) (\(text(sorted[0]))–\(text(sorted.last ?? 0)))"
  }
}
