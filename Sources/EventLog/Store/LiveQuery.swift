#if canImport(Observation)
  public import Observation

  /// The entities of one kind, kept up to date for a view.
  ///
  /// ```swift
  /// struct MealList: View {
  ///   let meals: LiveQuery<Meal>
  ///   var body: some View { List(meals.rows) { Text($0.name) } }
  /// }
  /// MealList(meals: LiveQuery(store, Meal.self, orderedBy: \.name))
  /// ```
  ///
  /// A query is up to date when you create it. It then changes on the main actor after an append, a
  /// sync, or an append by another process. When the store is closed or deallocated, the query
  /// keeps its last result.
  @MainActor @Observable
  public final class LiveQuery<R: Record> {
    /// The entities that the query has found.
    public private(set) var rows: [Stored<R>]
    /// The state from which ``rows`` were read.
    ///
    /// Pass this state as `asOf:` when a form writes its values. The property changes when an
    /// entity of this kind changes, including its days and conflicts. For other kinds, it may be
    /// older than ``EventStore/snapshot``.
    public private(set) var snapshot: Snapshot
    @ObservationIgnored private let find: (Snapshot) -> [Stored<R>]
    @ObservationIgnored private var updates: Task<Void, Never>?

    /// Creates a query for entities, sorted by key.
    ///
    /// - Parameters:
    ///   - store: The store to query.
    ///   - type: The record type.
    ///   - isIncluded: A closure that returns whether to include an entity.
    /// - Precondition: The store was opened with the record type.
    public convenience init(
      _ store: EventStore, _ type: R.Type,
      where isIncluded: @escaping (Stored<R>) -> Bool = { _ in true }
    ) {
      self.init(store) { $0.all(type, where: isIncluded) }
    }

    /// Creates a query for entities, sorted by a property.
    ///
    /// - Parameters:
    ///   - store: The store to query.
    ///   - type: The record type.
    ///   - isIncluded: A closure that returns whether to include an entity.
    ///   - path: The property to sort by. Entities with equal values are sorted by key.
    ///   - descending: Whether the greatest value comes first.
    /// - Precondition: The store was opened with the record type.
    public convenience init<Value: Comparable>(
      _ store: EventStore, _ type: R.Type,
      where isIncluded: @escaping (Stored<R>) -> Bool = { _ in true },
      orderedBy path: KeyPath<R, Value>, descending: Bool = false
    ) {
      self.init(store) {
        $0.all(type, where: isIncluded, orderedBy: path, descending: descending)
      }
    }

    /// Creates a query for entities, sorted by an optional property.
    ///
    /// Entities without a value come last.
    ///
    /// - Parameters:
    ///   - store: The store to query.
    ///   - type: The record type.
    ///   - isIncluded: A closure that returns whether to include an entity.
    ///   - path: The property to sort by. Entities with equal values are sorted by key.
    ///   - descending: Whether the greatest value comes first.
    /// - Precondition: The store was opened with the record type.
    public convenience init<Value: Comparable>(
      _ store: EventStore, _ type: R.Type,
      where isIncluded: @escaping (Stored<R>) -> Bool = { _ in true },
      orderedBy path: KeyPath<R, Value?>, descending: Bool = false
    ) {
      self.init(store) {
        $0.all(type, where: isIncluded, orderedBy: path, descending: descending)
      }
    }

    private init(_ store: EventStore, _ find: @escaping (Snapshot) -> [Stored<R>]) {
      let changes = store.changes(of: R.self)
      let state = store.snapshot
      (snapshot, rows, self.find) = (state, find(state), find)
      updates = Task { [weak self] in
        for await change in changes { self?.show(change.snapshot) }
      }
    }

    deinit { updates?.cancel() }

    private func show(_ state: Snapshot) {
      // The first change is the initial state.
      if state.isSame(as: snapshot) { return }
      snapshot = state
      rows = find(state)
    }
  }
#endif
