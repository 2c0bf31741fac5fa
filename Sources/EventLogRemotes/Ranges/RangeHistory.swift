import EventLog

/// The chains of an object's events, which identify the history that they are part of.
struct RangeHistory: Sendable {
  let first: Int64
  /// The chains, starting with that of the event before the first one.
  private let chains: [UInt32]
  /// The user that the device joined as, if the range begins with the joining.
  let user: String?

  var last: Int64 { first + Int64(chains.count) - 2 }

  /// The chain of an event in the range or the one before it.
  func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence - first + 1)] }

  init(first: Int64, chains: [UInt32], user: String?) {
    self.first = first
    self.chains = chains
    self.user = user
  }
}
