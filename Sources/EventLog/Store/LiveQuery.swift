#if canImport(Observation)
  public import Observation

  /// The entities of one kind for a view, kept up to date.
  ///
  /// ```swift
  /// struct MealList: View {
  ///   let meals: LiveQuery<Meal>
  ///   var body: some View { List(meals.rows) { Text($0.name) } }
  /// }
  /// MealList(meals: LiveQuery(store, Meal.self, orderedBy: \.name))
  /// ```
  ///
  /// It is up to date when it is made, and changes on the main actor, after an append, a sync, or
  /// an append of another process. It ends with the store, and then keeps what it shows.
  @MainActor @Observable
  public final class LiveQuery<R: Record> {
    /// What the query finds.
    public private(set) var rows: [Stored<R>]
    /// The state that ``rows`` are of: where a form writes, it writes as of this state.
    ///
    /// It is another one after a change of this kind, days and conflicts included; what it shows of
    /// other kinds may be older than ``EventStore/snapshot``.
    public private(set) var snapshot: Snapshot
    @ObservationIgnored private let find: (Snapshot) -> [Stored<R>]
    @ObservationIgnored private var updates: Task<Void, Never>?

    /// The entities that pass a test, by key.
    ///
    /// - Precondition: the store was opened with the record.
    public convenience init(
      _ store: EventStore, _ type: R.Type,
      where isIncluded: @escaping (Stored<R>) -> Bool = { _ in true }
    ) {
      self.init(store) { $0.all(type, where: isIncluded) }
    }

    /// The entities that pass a test, by the value of a property.
    ///
    /// - Parameter descending: whether the greatest value comes first.
    /// - Precondition: the store was opened with the record.
    public convenience init<Value: Comparable>(
      _ store: EventStore, _ type: R.Type,
      where isIncluded: @escaping (Stored<R>) -> Bool = { _ in true },
      orderedBy path: KeyPath<R, Value>, descending: Bool = false
    ) {
      self.init(store) {
        $0.all(type, where: isIncluded, orderedBy: path, descending: descending)
      }
    }

    /// The same by a property that may be absent; entities without a value come last.
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
      // The state that it began with is told once more.
      if state.isSame(as: snapshot) { return }
      snapshot = state
      rows = find(state)
    }
  }
#endif
