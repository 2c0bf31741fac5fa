package import EventLog

/// Generates the actions of a simulation from a seed.
package struct ActionGenerator {
  static let keys = ValueGenerator.keys

  /// The collections of a run: few, so that devices often write the same fields.
  let collections: [CollectionSchema]
  let deviceCount: Int
  var values: ValueGenerator
  /// The troubles of the run.
  private let troubles: Set<Trouble>
  /// The number of devices, including copies.
  var liveCount: Int
  /// The entities that some device was meant to begin.
  package var begun: Set<EntityID> = []

  /// The collections of the first version of the app, in which device 0 begins entities.
  private let first: SchemaCatalog
  private var erasures: ErasureGenerator
  /// Whether the app has several versions.
  private let isVersioned: Bool

  package init(seed: UInt64, _ catalog: SchemaCatalog) { self.init(seed: seed, [catalog]) }

  /// - Parameter catalogs: The collections of each version of the app.
  init(seed: UInt64, _ catalogs: [SchemaCatalog]) {
    first = catalogs[0]
    isVersioned = catalogs.count > 1
    var random = SplitMix64(seed: seed)
    deviceCount = Int.random(in: 2...6, using: &random)
    liveCount = deviceCount
    troubles = Trouble.some(using: &random)
    let count = Int.random(in: 1...3, using: &random)
    let chosen = catalogs[0].collections.shuffled(using: &random).prefix(count)
    collections =
      chosen
      + catalogs.dropFirst().flatMap(\.collections).filter { later in
        chosen.contains { $0.kind == later.kind }
      }
    values = ValueGenerator(random: random)
    erasures = ErasureGenerator(seed: seed)
  }

  package var random: SplitMix64 {
    get { values.random }
    set { values.random = newValue }
  }

  mutating func chance(_ of: Int) -> Bool { values.chance(of) }

  /// Returns the number of devices, their actions and the final syncs.
  mutating func make(_ count: Int?) -> SimulationPlan {
    let count = count ?? Int.random(in: 30...120, using: &random)
    let topology = Topology.allCases.randomElement(using: &random)!
    // A device that is silent for most of the run has much to sync at the end.
    let silent = chance(3) ? Int.random(in: 0..<deviceCount, using: &random) : -1
    var actions = chance(4) ? [] : beginnings()
    for index in 0..<count {
      actions.append(action(topology, silent: index * 4 < count * 3 ? silent : -1))
    }
    return SimulationPlan(
      deviceCount: deviceCount, actions: erasures.added(to: actions, liveCount, troubles),
      ending: SimulationPlan.Ending.allCases.randomElement(using: &random)!)
  }

  /// Returns actions with which one device begins all entities and the others pull them.
  private mutating func beginnings() -> [SimulatedAction] {
    var drafts: [EventDraft] = []
    for collection in collections
    where !collection.isSingleton && first.collections.contains(collection) {
      guard let begins = collection.events.first(where: { $0.lifecycle == .begins }) else {
        continue
      }
      for key in Self.keys {
        let entity = EntityID(kind: collection.kind, key: key)!
        begun.insert(entity)
        drafts.append(
          EventDraft(type: begins.type, entity: entity, data: data(begins, collection)))
      }
    }
    return drafts.map { .append(device: 0, [$0], .durable) }
      + (1..<deviceCount).map { .sync(device: $0, with: .device(0), .both, .none) }
  }

  private mutating func action(_ topology: Topology, silent: Int) -> SimulatedAction {
    let device = Int.random(in: 0..<liveCount, using: &random)
    if let trouble = troubles.sorted().randomElement(using: &random), chance(6) {
      return action(of: trouble, device)
    }
    if isVersioned, chance(24) { return .update(device: device) }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .reopen(device: device)
    case 1:
      let year = Int.random(in: 1990...2060, using: &random)
      return .setClock(device: device, Timestamp("\(year)-06-01T00:00:00Z")!)
    case 2: return chance(2) ? .look(device: device) : .inspect(device: device)
    case 3: return .appendAsOf(device: device, [draft()])
    case 4: return .appendBeside(device: device, [draft()])
    case 5, 6:
      let conflict = Int.random(in: 0..<8, using: &random)
      let choice: SimulatedAction.Choice =
        chance(3)
        ? .value(seed: random.next()) : .candidate(Int.random(in: 0..<3, using: &random))
      return .settle(device: device, conflict: conflict, choice)
    case 7...12: return sync(device, topology, silent)
    default:
      let drafts = (0..<Int.random(in: 1...(chance(4) ? 8 : 3), using: &random)).map { _ in draft()
      }
      return .append(device: device, drafts, chance(4) ? .buffered : .durable)
    }
  }
}
