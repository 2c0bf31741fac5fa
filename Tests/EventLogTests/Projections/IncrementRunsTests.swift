import Testing

@testable import EventLog

/// Runs of increments, compared with arrays.
@Suite struct IncrementRunsTests {
  private typealias Model = [(sequence: Int64, sum: CounterSum)]

  private static func agrees(
    _ increments: IncrementRuns, _ run: IncrementRuns.Run, _ model: Model
  ) -> Bool {
    let all = Array(increments.all(run))
    guard all.map(\.sequence) == model.map(\.sequence), all.map(\.sum) == model.map(\.sum),
      increments.newest(run)?.sum == model.last?.sum
    else { return false }
    return (0...((model.last?.sequence ?? 0) + 1)).allSatisfy { limit in
      increments.newest(run, upTo: limit)?.sum == model.last { $0.sequence <= limit }?.sum
    }
  }

  private static func append(
    to increments: inout IncrementRuns, _ run: inout IncrementRuns.Run, _ model: inout Model,
    _ random: inout SplitMix64
  ) {
    let sequence = (model.last?.sequence ?? 0) + Int64.random(in: 1...3, using: &random)
    let amount = CounterSum(Amount(Int64.random(in: -9...9, using: &random)))
    increments.append(sequence, amount, to: &run)
    model.append((sequence, (model.last?.sum ?? .zero) + amount))
  }

  @Test func `growing runs never overwrite each other`() throws {
    for seed in RandomRounds(40) {
      var random = SplitMix64(seed: seed)
      var increments = IncrementRuns()
      var runs = [IncrementRuns.Run](repeating: .init(), count: 12)
      var models = [Model](repeating: [], count: 12)
      var copy = (increments, runs, models)
      for step in 0..<600 {
        // Some runs grow more often than others.
        let index = Int.random(in: 0..<12, using: &random) & Int.random(in: 0..<12, using: &random)
        Self.append(to: &increments, &runs[index], &models[index], &random)
        if step == 300 {
          increments.paginate()
          copy = (increments, runs, models)
        }
      }
      for (increments, runs, models) in [(increments, runs, models), copy] {
        for (run, model) in zip(runs, models) {
          try #require(Self.agrees(increments, run, model), "EVENTLOG_SEED=\(seed)")
        }
      }
    }
  }

  @Test func `stored runs continue from their ends`() throws {
    for seed in RandomRounds(40) {
      var random = SplitMix64(seed: seed)
      var models = (1...20).map { _ in
        var (none, run, model) = (IncrementRuns(), IncrementRuns.Run(), Model())
        for _ in 0..<Int.random(in: 1...9, using: &random) {
          Self.append(to: &none, &run, &model, &random)
        }
        return model
      }
      var increments = IncrementRuns(
        models.flatMap { $0.map { IncrementRuns.Increment(sequence: $0.sequence, sum: $0.sum) } })
      var (runs, last): ([IncrementRuns.Run], IncrementRuns.Run) = ([], .init())
      for model in models {
        last = try #require(increments.run(after: last, count: Int32(model.count)))
        runs.append(last)
      }
      #expect(increments.run(after: last, count: 1) == nil)
      for _ in 0..<60 {
        let index = Int.random(in: 0..<20, using: &random)
        Self.append(to: &increments, &runs[index], &models[index], &random)
      }
      for (run, model) in zip(runs, models) {
        try #require(Self.agrees(increments, run, model), "EVENTLOG_SEED=\(seed)")
      }
    }
  }
}
