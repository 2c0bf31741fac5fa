import Foundation

/// Returns the seeds of a random test: an eighth of `count`, or more by `EVENTLOG_ROUNDS`. With
/// `EVENTLOG_SEED`, they begin at that seed.
func seeds(_ count: Int) -> Range<UInt64> {
  let environment = ProcessInfo.processInfo.environment
  let factor = environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 0.125
  let first =
    environment["EVENTLOG_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...(UInt64.max >> 1))
  return first..<(first + UInt64(max(2, Double(count) * factor)))
}
