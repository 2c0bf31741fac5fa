import EventLog

/// What a place remembers about publishing: which states its documents can be from.
///
/// That is one state, as long as no run was interrupted. While one is writing in several commits,
/// a document may be from the state before or from the new one, and both are listed.
struct PublishedState: Sendable, Hashable {
  /// A state whose documents were written.
  struct Base: Sendable, Hashable {
    /// The events that it is the state of.
    var frontier: VectorClock
    var layout: DocumentLayout
    /// What else the documents depend on.
    var basis: String
  }

  /// The most states that are listed; a place that has more is written anew.
  static let basesMax = 8

  var bases: [Base]

  init(_ bases: [Base]) { self.bases = bases }

  /// Reads what ``text`` says; nil for anything else.
  init?(_ text: String) {
    guard case .array(let values)? = (try? JSONValue(parsing: text.utf8))?["bases"],
      !values.isEmpty
    else { return nil }
    bases = []
    for value in values {
      guard case .array(let names)? = value["frontier"], let json = value["layout"],
        let layout = try? DocumentLayout(json), case .string(let basis)? = value["basis"]
      else { return nil }
      var tips: [FullEventID] = []
      for name in names {
        guard case .string(let text) = name, let tip = FullEventID(text) else { return nil }
        tips.append(tip)
      }
      bases.append(Base(frontier: VectorClock(tips), layout: layout, basis: basis))
    }
  }

  var text: String {
    let json: JSONValue = [
      "bases": .array(
        bases.map { base in
          [
            "frontier": .array(base.frontier.tips.map { .string($0.description) }),
            "layout": base.layout.json, "basis": .string(base.basis),
          ]
        })
    ]
    var bytes: [UInt8] = []
    json.write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
