import EventLog

/// The contents that nothing names, as found in a journal.
struct ReleasePlan: Sendable {
  /// The contents that nothing names and no event has released since, sorted.
  private(set) var unreleased: [String] = []
  /// The contents that may be removed, sorted.
  private(set) var removable: [String] = []
  /// The devices that haven't stated yet that they have seen the release of a content.
  private(set) var waiting: [String: [DeviceID]] = [:]
  let ledger: Ledger
  private let names: ContentNames
  /// The last events of devices that may still name what they see.
  private let tips: [Ledger.Point]
  /// The device that writes here, or nil before its first event.
  let own: DeviceID?

  /// The time after which a device counts as gone.
  private static let absenceMax: Int64 = 365 * 86_400_000

  private init(_ names: ContentNames, _ ledger: Ledger, own: DeviceID?, now: Timestamp) {
    (self.names, self.ledger, self.own) = (names, ledger, own)
    // Events of other devices must show that the year has passed, for one clock may be wrong.
    let latest =
      ledger.tips.filter { ledger.device(of: Int($0.branch)) != own }
      .map { ledger.branches[Int($0.branch)].lastAt }.max() ?? 0
    let limit = min(now.milliseconds, latest) - Self.absenceMax
    tips = ledger.tips.filter { tip in
      // This device isn't gone, and an import sees nothing later.
      if ledger.device(of: Int(tip.branch)) == own { return true }
      return !ledger.isSource(tip.branch)
        && max(
          ledger.branches[Int(tip.branch)].lastAt, names.times.latest(seenBy: tip, ledger)) >= limit
    }
    for hash in Set(names.names.keys).union(names.releases.keys).sorted() where isFree(hash) {
      let releases = releases(of: hash)
      if releases.isEmpty { unreleased.append(hash) }
      let waiting = unheard(releases)
      if waiting.isEmpty, !releases.isEmpty { removable.append(hash) }
      if !waiting.isEmpty { self.waiting[hash] = waiting }
    }
  }

  /// Whether every event that names a content writes a field that later writes have replaced.
  ///
  /// Contested fields need all their values, because an earlier one is the base of the conflict.
  private func isFree(_ hash: String) -> Bool {
    let fold = names.fold
    if names.unclear.contains(hash) { return false }
    return (names.names[hash] ?? []).allSatisfy { name in
      let cell = Int(fold.findRegister(name.row, name.field))
      if cell < 0 || fold.registers.isContested(cell) { return false }
      let live = fold.registers.liveValues(cell)
      return live.allSatisfy { $0.dot.point != name.point }
        && live.contains { ledger.hasSeen($0.dot.point, name.point) }
    }
  }

  /// The events that release a content and have seen all events that name it.
  private func releases(of hash: String) -> [Ledger.Point] {
    (names.releases[hash] ?? []).filter { release in
      (names.names[hash] ?? []).allSatisfy { ledger.hasSeen(release, $0.point) }
    }
  }

  /// The devices whose last event has seen none of some events.
  private func unheard(_ releases: [Ledger.Point]) -> [DeviceID] {
    let tips = tips.filter { tip in !releases.contains { ledger.hasSeen(tip, $0) } }
    return Set(tips.map { ledger.device(of: Int($0.branch)) }).sorted()
  }

  /// The contents to release: those that aren't yet, or one that this device hasn't seen released,
  /// by which it states that it has seen all.
  var statements: [String] {
    guard unreleased.isEmpty, let own else { return unreleased }
    return waiting.filter { $0.value.contains(own) }.keys.min().map { [$0] } ?? []
  }

  /// The contents that may be removed once the statements are written.
  var removableAfterStatements: [String] {
    let soon = waiting.filter { $0.value.allSatisfy { $0 == own } }.keys
    let all = Set(unreleased.filter { waiting[$0] == nil }).union(removable).union(soon)
    return all.sorted()
  }
}

extension ReleasePlan {
  /// Reads a journal.
  ///
  /// - Throws: `damaged` if it lacks events or has damaged ones, which may name contents;
  ///   `invalidInput` while erased events are kept; `noJournal`, `notAJournal`, `inputOutput`.
  init(of journal: Journal, now: Timestamp) throws(EventLogError) {
    let side = SideFolder(beside: journal.path, fileSystem: journal.fileSystem)
    if side.erasureCounts.kept > 0 {
      throw EventLogError(
        .invalidInput,
        "\"\(journal.path)\" keeps what another device has erased, so no attachment is removed.",
        hint: "Agree to it first, if it isn't a mistake.", at: .init(file: journal.path))
    }
    let file = try JournalFile.open(journal.path, .read, fileSystem: journal.fileSystem)
    defer { file.close() }
    let (pass, end) = try journal.read(file, into: ContentNames(journal.catalog))
    let report = pass.report
    let isUnfinished = report.notes.contains { $0.code == .note(.unfinishedBatch) }
    guard report.problemCount == 0, end.doubtfulTail == nil, !isUnfinished else {
      throw EventLogError(
        .damaged,
        "\"\(journal.path)\" lacks events or has damaged ones, which may name attachments, so none"
          + " is removed.", hint: "Sync, or repair the journal first.",
        at: .init(file: journal.path))
    }
    let own: DeviceID? = if case .same(let device) = end.decision { device } else { nil }
    let holdsOwn = own.flatMap { pass.ledger.find($0) }.map { pass.ledger.eventCount(of: $0) > 0 }
    self.init(pass.sink, pass.ledger, own: holdsOwn == true ? own : nil, now: now)
  }
}
