/// The numbers of transferred and planned events.
struct TransferCounts {
  var pulled: (count: Int64, total: Int64) = (0, 0)
  var pushed: (count: Int64, total: Int64) = (0, 0)

  /// The message for an interrupted sync.
  var interruption: String {
    let parts = [(pulled, "pulled"), (pushed, "pushed")].compactMap { part, verb in
      part.total == 0 ? nil : "\(part.count) of \(part.total) events were \(verb)"
    }
    if parts.isEmpty { return "The sync was canceled. Nothing was transferred." }
    var ends: [String] = []
    if pulled.count + pushed.count > 0 { ends.append("they are kept") }
    if pulled.count < pulled.total || pushed.count < pushed.total {
      ends.append("the next sync transfers the rest")
    }
    return "The sync was canceled. \(parts.joined(separator: ", and ")); "
      + ends.joined(separator: ", and ") + "."
  }
}
