#if canImport(Observation)
  import EventLog
  import EventLogTesting
  import Observation
  import Testing

  /// The rows of live queries.
  @MainActor @Suite struct LiveQueryTests {
    private static func diary() async throws -> TemporaryStore {
      let store = try await TemporaryStore(records: Meal.self, Note.self)
      for (key, name) in [("a", "Oats"), ("b", "Milk")] {
        _ = try await store.create(Meal.self, key: key) { $0.name = name }
      }
      return store
    }

    /// Returns when the query's rows change, or ends by the test's time limit if they never do.
    private func change(of query: LiveQuery<Meal>) async {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = query.rows
        } onChange: {
          continuation.resume()
        }
      }
      // The observer is notified before the value changes.
      await Task.yield()
    }

    @Test func `a query has rows at once and follows every change`() async throws {
      let store = try await Self.diary()
      let query = LiveQuery(store.store, Meal.self, orderedBy: \.name)
      #expect(query.rows.map(\.name) == ["Milk", "Oats"])
      let changed = Task { await change(of: query) }
      await Task.yield()
      _ = try await store.create(Meal.self) { $0.name = "Leek" }
      await changed.value
      #expect(query.rows.map(\.name) == ["Leek", "Milk", "Oats"])
      #expect(query.snapshot.all(Meal.self).count == 3)

      // A form edits as of the snapshot that the view shows.
      let widget = try await store.openAgain()
      let changedByOther = Task { await change(of: query) }
      await Task.yield()
      try await widget.edit(ID<Meal>("a")!) { $0.name = "Porridge" }
      await changedByOther.value
      try await store.edit(ID<Meal>("a")!, asOf: query.snapshot) { $0.name = "Rolled oats" }
      #expect(store.snapshot[ID<Meal>("a")!]?.name == "Rolled oats")
    }

    @Test func `a query shows a row once its predicate accepts it`() async throws {
      let store = try await Self.diary()
      let query = LiveQuery(store.store, Meal.self) { $0.kcal > 100 }
      #expect(query.rows.isEmpty)
      _ = try await store.create(Note.self)
      let changed = Task { while query.rows.isEmpty { await change(of: query) } }
      await Task.yield()
      try await store.edit(ID<Meal>("a")!) { $0.kcal = 370 }
      await changed.value
      #expect(query.rows.map(\.id.key) == ["a"])
    }

    @Test func `a released query is freed and doesn't retain its store`() async throws {
      var store: TemporaryStore? = try await Self.diary()
      weak let weakStore = store?.store
      var query: LiveQuery? = LiveQuery(try #require(store).store, Meal.self)
      weak let weakQuery = query
      #expect(weakQuery?.rows.count == 2)
      query = nil
      // The query's task ends on this actor.
      while weakQuery != nil { await Task.yield() }
      try await store?.close()
      store = nil
      while weakStore != nil { try await Task.sleep(for: .milliseconds(5)) }
    }
  }
#endif
