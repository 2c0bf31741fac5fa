import EventLog

/// Makes up the actions of a simulation, from a seed.
struct ActionGenerator {
  /// The few collections that a run is about: of many, no two devices would write the same.
  private let collections: [CollectionSchema]
  private let deviceCount: Int
  private var random: SplitMix64
  private var data: EventDataGenerator
  /// What some device was told to begin.
  private var begun: Set<EntityID> = []

  init(seed: UInt64, _ catalog: SchemaCatalog) {
    random = SplitMix64(seed: seed)
    deviceCount = Int.random(in: 2...6, using: &random)
    let count = Int.random(in: 1...3, using: &random)
    collections = Array(catalog.collections.shuffled(using: &random).prefix(count))
    data = EventDataGenerator(seed: random.next())
  }

  /// The actions, and how many devices they are about.
  mutating func make(_ count: Int?) -> (deviceCount: Int, actions: [SimulatedAction]) {
    let count = count ?? Int.random(in: 30...120, using: &random)
    let topology = Topology.allCases.randomElement(using: &random)!
    // A device that stays away for most of it has much to tell at the end.
    let silent = chance(3) ? Int.random(in: 0..<deviceCount, using: &random) : -1
    var actions = chance(4) ? [] : beginnings()
    for place in 0..<count {
      actions.append(action(topology, silent: place * 4 < count * 3 ? silent : -1))
    }
    return (deviceCount, actions)
  }

  /// One device begins what all are going to use, and all get it.
  private mutating func beginnings() -> [SimulatedAction] {
    var drafts: [EventDraft] = []
    for collection in collections where !collection.isSingleton {
      guard let begins = collection.events.first(where: { $0.lifecycle == .begins }) else {
        continue
      }
      for key in EventDataGenerator.keys {
        let entity = EntityID(kind: collection.kind, key: key)!
        begun.insert(entity)
        drafts.append(
          EventDraft(type: begins.type, entity: entity, data: data.make(begins, collection)))
      }
    }
    return drafts.map { .append(device: 0, [$0]) }
      + (1..<deviceCount).map { .sync(device: $0, with: .device(0), .both, .none) }
  }

  /// Who meets whom.
  private enum Topology: CaseIterable {
    case anybody, star, chain, ring, folder
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func action(_ topology: Topology, silent: Int) -> SimulatedAction {
    let device = Int.random(in: 0..<deviceCount, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .reopen(device: device)
    case 1:
      let year = Int.random(in: 1990...2060, using: &random)
      return .setClock(device: device, Timestamp("\(year)-06-01T00:00:00Z")!)
    case 2: return .look(device: device)
    case 3: return .appendAsOf(device: device, [draft()])
    case 4: return .appendBeside(device: device, [draft()])
    case 5, 6:
      return .settle(
        device: device, conflict: Int.random(in: 0..<8, using: &random),
        by: chance(3)
          ? .value(data.values()) : .candidate(Int.random(in: 0..<3, using: &random)))
    case 7...10: return sync(device, topology, silent)
    default:
      let drafts = (0..<Int.random(in: 1...3, using: &random)).map { _ in draft() }
      return .append(device: device, drafts)
    }
  }

  private mutating func sync(
    _ device: Int, _ topology: Topology, _ silent: Int
  ) -> SimulatedAction {
    var other = Int.random(in: 0..<deviceCount, using: &random)
    switch topology {
    case .anybody, .folder: break
    case .star: if device != 0 { other = 0 }
    case .chain: other = min(device + 1, deviceCount - 1)
    case .ring: other = (device + 1) % deviceCount
    }
    if device == silent || other == silent { return .look(device: device) }
    let isFolder = topology == .folder || chance(4)
    let ways: [ReplicationPlan.Directions] = [.both, .both, .both, .pull, .push]
    return .sync(
      device: device, with: isFolder ? .folder : .device(other),
      ways.randomElement(using: &random)!, mishap())
  }

  private mutating func mishap() -> SimulatedAction.Mishap {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .abandoned(after: Int.random(in: 1...3, using: &random))
    case 1: .doubled
    case 2: .reordered(seed: random.next())
    case 3: .truncated(Int.random(in: 0...999, using: &random))
    default: .none
    }
  }

  // MARK: - Events

  private mutating func draft() -> EventDraft {
    let collection = collections.randomElement(using: &random)!
    var schema = collection.events.randomElement(using: &random)!
    // What is deleted takes no more events here, and what there is cannot be begun.
    if schema.lifecycle == .deletes || schema.lifecycle == .begins, !chance(4) {
      let others = collection.events.filter { $0.lifecycle == .none }
      schema = others.randomElement(using: &random) ?? schema
    }
    let key = EventDataGenerator.keys.randomElement(using: &random)!
    let entity = collection.isSingleton ? nil : EntityID(kind: collection.kind, key: key)
    // What nobody has begun would only be refused; nor is all of it begun by one device.
    if let entity, !begun.contains(entity) || chance(15),
      let begins = collection.events.first(where: { $0.lifecycle == .begins })
    {
      begun.insert(entity)
      schema = begins
    }
    return EventDraft(type: schema.type, entity: entity, data: data.make(schema, collection))
  }
}
