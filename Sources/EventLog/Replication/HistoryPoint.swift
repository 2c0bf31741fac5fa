/// How far the history of one device goes, and what it comes to there.
///
/// Two copies that agree on a point agree, up to a chance of 2^−32, on all of that device's events
/// up to it, because a line's checksum continues those of all lines before.
public struct HistoryPoint: Sendable, Hashable {
  /// The sequence of the last event.
  public var sequence: Int64
  /// The `crc` of its line.
  public var checksum: LineChecksum

  public init(sequence: Int64, checksum: LineChecksum) {
    self.sequence = sequence
    self.checksum = checksum
  }
}
