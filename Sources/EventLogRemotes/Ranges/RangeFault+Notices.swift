import EventLog

// Notices about ranges that can't be read.

extension [RangeFault: [RangeName]] {
  /// A notice for each kind of fault: the names of the objects, the fault, and the remedy.
  func notices(in address: String) -> [String] {
    RangeFault.allCases.compactMap { fault in
      let names = (self[fault] ?? []).map(\.text).sorted().map { "\"\($0)\"" }
      if names.isEmpty { return nil }
      let isOne = names.count == 1
      return "\(names.enumeration) in \"\(address)\" \(isOne ? "is" : "are") "
        + fault.consequence(isOne: isOne)
    }
  }
}

extension RangeFault {
  fileprivate func consequence(isOne: Bool) -> String {
    let (its, it, isOnItsWay, file) =
      isOne
      ? ("its", "it", "It is probably", "the file")
      : ("their", "them", "They are probably", "the files")
    return switch self {
    case .empty:
      "empty, so \(its) events cannot be received yet. A cloud drive may not have downloaded"
        + " \(it) yet."
    case .cutOff:
      "incomplete, so \(its) events cannot be received yet. \(isOnItsWay) still on the way."
    case .damaged:
      "damaged, so \(its) events cannot be received, nor those that depend on them. Move \(file)"
        + " out of there: a device that has the events then writes them there again with its next"
        + " sync."
    }
  }
}
