public import EventLog

/// A test of one record: the events before an edit, the edit, and what it results in.
///
/// ```swift
/// let soup = RecordScenario(Meal.self, given: ["meal.created": ["kcal": 370]])
/// let outcome = try await soup.when { $0.kcal = 371 }
/// #expect(outcome.events == [.init("meal.edited", ["kcal": 371])])
/// #expect(outcome.record.kcal == 371)
/// ```
///
/// The given events aren't checked, so they can be those of another version of your app.
public struct RecordScenario<R: Record>: Sendable {
  /// An event that an edit has written.
  public struct WrittenEvent: Sendable, Hashable {
    /// The type of the event.
    public let type: String
    /// The event's data.
    public let data: JSONObject

    /// Creates an event to compare with.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - data: The event's data.
    public init(_ type: String, _ data: JSONObject = JSONObject()) {
      (self.type, self.data) = (type, data)
    }
  }

  /// The result of an edit.
  public struct Outcome: Sendable {
    /// The record after the edit.
    public let record: R
    /// The events that the edit has written, in order.
    public let events: [WrittenEvent]
    /// The names of the fields whose values the record can't show in full.
    public let unreadable: [String]
  }

  private let given: [WrittenEvent]

  /// Creates a test.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - events: The types and data of the events before the edit, which are all about one record.
  public init(_ type: R.Type = R.self, given events: KeyValuePairs<String, JSONObject> = [:]) {
    given = events.map { WrittenEvent($0.key, $0.value) }
  }

  /// Edits the record as a store does, on another device than that of the given events.
  ///
  /// - Parameter body: A closure that changes the record.
  /// - Returns: The record, and the events that were written.
  /// - Throws: `noEntity` if no given event creates the record; `changedMeanwhile` if the edit
  ///   would replace a value that the record can't show in full; the other errors of an edit.
  public func when(
    _ body: @Sendable (inout R) -> Void = { _ in }
  ) async throws(EventLogError) -> Outcome {
    let isSingleton = R.schema.collection.isSingleton
    let id = ID<R>("one")!
    var history = History(user: "ada")
    let writer = history.device("given")
    for event in given {
      history.append(
        writer,
        EventDraft(type: event.type, entity: isSingleton ? nil : id.entity, data: event.data))
    }
    let device = try await TemporaryStore(
      continuing: RecordedJournal(history, records: R.self), device: "when")
    let receipt =
      isSingleton
      ? try await device.store.edit(R.self, body) : try await device.store.edit(id, body)
    let ids = Set(receipt.appended.map(\.id))
    let snapshot = device.snapshot
    return Outcome(
      record: isSingleton ? snapshot[R.self] : snapshot[id] ?? R(),
      events: try device.events().filter { ids.contains($0.id) }.map {
        WrittenEvent($0.type, $0.data)
      },
      unreadable: snapshot.stored(id)?.unreadable ?? [])
  }
}
