/// A property that shows a counter: a total to which every increment of every device counts once.
///
/// ```swift
/// try await store.edit(soup) { $0.servings += 2 }
/// ```
///
/// A counter can't be assigned: two devices that assign would replace each other's value. To state
/// a total, use `EventStore.set(_:of:to:)`.
public struct Counter<Number>: Sendable, Hashable, CustomStringConvertible
where Number: AdditiveArithmetic & JSONConvertible & Sendable & Hashable {
  /// The total as the snapshot shows it, or `nil` if there is none.
  private var shown: Number?
  /// The sum of the increments since then, or nil if there are none.
  private(set) var increment: Number?

  /// Creates a counter without a value.
  public init() {}

  init(shown: Number) { self.shown = shown }

  /// The total, or `nil` if nothing was recorded.
  ///
  /// A recorded 0 is a value. A sum of increments alone is a value if it is above 0.
  public var value: Number? {
    guard let increment else { return shown }
    return (shown ?? .zero) + increment
  }

  /// The value, or `nil` in words.
  public var description: String { value.map { "\($0)" } ?? "nil" }

  /// Returns whether two counters show the same value.
  public static func == (one: Counter, other: Counter) -> Bool { one.value == other.value }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }

  /// Adds to a counter.
  public static func += (counter: inout Counter, amount: Number) {
    counter.increment = (counter.increment ?? .zero) + amount
  }

  /// Subtracts from a counter.
  public static func -= (counter: inout Counter, amount: Number) {
    counter.increment = (counter.increment ?? .zero) - amount
  }

  /// Whether only increments were added to another counter.
  func continues(_ other: Counter) -> Bool { shown == other.shown }
}

extension RecordField {
  /// Returns a counter: a field to which every increment of every device counts once.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - path: The property that shows the field. A total that isn't a whole number shows as `nil`.
  ///   - note: A short description that `eventlog types` prints.
  public static func counter(
    _ name: String, _ path: any WritableKeyPath<Root, Counter<Int>> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(counter: name, path, note: note)
  }

  init<Number>(
    counter name: String, _ path: any WritableKeyPath<Root, Counter<Number>> & Sendable,
    note: String
  ) {
    self.init(
      name: name, path: path, note: note, mechanism: { .counter },
      read: { json, root in
        guard let total = Number(json: json) else { return false }
        root[keyPath: path] = Counter(shown: total)
        return true
      },
      changes: { (old, new, occasion) throws(EventLogError) in
        let counter = new[keyPath: path]
        let before = old[keyPath: path]
        guard counter.continues(before) else { throw .assignedCounter(name) }
        if counter.increment == before.increment { return [] }
        let increment = (counter.increment ?? .zero) - (before.increment ?? .zero)
        let amount = try increment.amount(of: name)
        switch occasion {
        case .creation: return [.set(field: name, amount)]
        case .edit, .rewriting: return amount == .zero ? [] : [.advance(field: name, amount)]
        }
      },
      beginsBlank: { $0[keyPath: path] == Counter() })
  }
}

extension JSONConvertible {
  /// The number as an amount of a counter.
  ///
  /// - Throws: `invalidEvent` if it has more than six digits after the point or is too large.
  func amount(of counter: String) throws(EventLogError) -> Amount {
    if case .number(let number) = json, let amount = Amount(number) { return amount }
    throw EventLogError(
      .invalidEvent,
      "\"\(counter)\" can't count \(json.text): it takes at most 6 digits after the point and"
        + " numbers to 1000000000. Nothing was written.", hint: "Round the number.")
  }
}

extension EventLogError {
  fileprivate static func assignedCounter(_ name: String) -> EventLogError {
    EventLogError(
      .invalidEvent, "The counter \"\(name)\" was assigned. Nothing was written.",
      hint: "Add to it with += or -=, or state its total: store.set(…, to: …).")
  }
}
