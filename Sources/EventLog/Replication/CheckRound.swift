/// Which objects that were found whole are looked at again, run by run: a disk may lose a bit.
///
/// A round takes all objects that were known to be whole when it began, a run one of them, and a
/// large one as many runs as there are pieces of ``bytesPerRun`` in it, the last of which reads it.
/// What is put meanwhile waits for the next round, or a round would never end.
///
/// A place that checks itself is believed for longer: every 180th run reads all of it.
///
/// It is kept among what an initiator knows of a remote (``RemoteVisit/known``), in words that are
/// no object's key.
struct CheckRound: Sendable {
  /// So many bytes a run reads again on average.
  static let bytesPerRun: Int64 = 256 << 10
  /// How many runs believe a place that checks itself: a month of six a day.
  static let believingRuns: Int64 = 180
  private static let runsMark = "runs "
  private static let savedMark = "saved "
  private static let waitingMark = "again "

  /// The keys of objects whose turn is still to come.
  private var waiting: Set<String> = []
  /// What earlier runs have not read, for the next object.
  private var savedBytes: Int64 = 0
  /// How many runs have believed the place.
  private var runCount: Int64 = 0

  /// Takes the round out of what is known.
  init(from known: inout Set<String>) {
    for word in known {
      if word.utf8.starts(with: Self.waitingMark.utf8) {
        waiting.insert(String(word.dropFirst(Self.waitingMark.count)))
      } else if word.utf8.starts(with: Self.savedMark.utf8) {
        savedBytes = max(0, Int64(word.dropFirst(Self.savedMark.count)) ?? 0)
      } else if word.utf8.starts(with: Self.runsMark.utf8) {
        runCount = max(0, Int64(word.dropFirst(Self.runsMark.count)) ?? 0)
      } else {
        continue
      }
      known.remove(word)
    }
  }

  /// The round, for the next run.
  var words: Set<String> {
    var words = Set(waiting.map { Self.waitingMark + $0 })
    if savedBytes > 0 { words.insert("\(Self.savedMark)\(savedBytes)") }
    if runCount > 0 { words.insert("\(Self.runsMark)\(runCount)") }
    return words
  }

  /// The objects that this run looks at again.
  mutating func next(of objects: [RangeObject], checksItself: Bool) -> [RangeObject] {
    guard checksItself else { return next(of: objects).map { [$0] } ?? [] }
    runCount += 1
    guard runCount >= Self.believingRuns else { return [] }
    runCount = 0
    return objects
  }

  /// The object that this run looks at again; nil where it only saves for a large one.
  private mutating func next(of objects: [RangeObject]) -> RangeObject? {
    waiting.formIntersection(objects.map(\.key))
    if waiting.isEmpty { waiting = Set(objects.map(\.key)) }
    let due = objects.filter { waiting.contains($0.key) }
      .min { $0.key.precedes($1.key) }
    guard let due else { return nil }
    savedBytes += Self.bytesPerRun
    guard savedBytes >= due.byteCount else { return nil }
    savedBytes = 0
    waiting.remove(due.key)
    return due
  }
}
