/// The outcome of signing out.
enum SignOutPlan: Hashable {
  /// The journal stays.
  case keep
  /// The journal is removed. This number of events may exist nowhere else.
  case remove(lost: Int)
  /// Nothing changes, because this number of events may exist nowhere else.
  case refuse(onlyHere: Int)

  /// - Parameter onlyHere: The number of events that may exist nowhere else.
  init(_ leaving: Leaving, onlyHere: Int) {
    switch leaving {
    case .keep: self = .keep
    case .remove: self = .remove(lost: onlyHere)
    case .removeIfElsewhere:
      self = onlyHere == 0 ? .remove(lost: 0) : .refuse(onlyHere: onlyHere)
    }
  }
}
