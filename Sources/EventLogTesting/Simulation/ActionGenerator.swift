import EventLog

/// Makes up the actions of a simulation, from a seed.
struct ActionGenerator {
  private static let keys = ValueGenerator.keys

  /// The few collections that a run is about: of many, no two devices would write the same.
  private let collections: [CollectionSchema]
  let deviceCount: Int
  private var values: ValueGenerator
  /// What happens besides; in most runs nothing, and all must come to agree without a repair.
  private let troubles: Set<Trouble>
  /// How many devices there are, copies counted.
  private var liveCount: Int
  /// What some device was told to begin.
  private var begun: Set<EntityID> = []

  init(seed: UInt64, _ catalog: SchemaCatalog) {
    var random = SplitMix64(seed: seed)
    deviceCount = Int.random(in: 2...6, using: &random)
    liveCount = deviceCount
    troubles = Trouble.some(using: &random)
    let count = Int.random(in: 1...3, using: &random)
    collections = Array(catalog.collections.shuffled(using: &random).prefix(count))
    values = ValueGenerator(random: random)
  }

  var random: SplitMix64 {
    get { values.random }
    set { values.random = newValue }
  }

  /// The actions, how many devices they are about, and how all meet in the end.
  mutating func make(_ count: Int?) -> SimulationPlan {
    let count = count ?? Int.random(in: 30...120, using: &random)
    let topology = Topology.allCases.randomElement(using: &random)!
    // A device that stays away for most of it has much to tell at the end.
    let silent = chance(3) ? Int.random(in: 0..<deviceCount, using: &random) : -1
    var actions = chance(4) ? [] : beginnings()
    for place in 0..<count {
      actions.append(action(topology, silent: place * 4 < count * 3 ? silent : -1))
    }
    return SimulationPlan(
      deviceCount: deviceCount, actions: actions,
      meeting: SimulationPlan.Meeting.allCases.randomElement(using: &random)!)
  }

  /// One device begins what all are going to use, and all get it.
  private mutating func beginnings() -> [SimulatedAction] {
    var drafts: [EventDraft] = []
    for collection in collections where !collection.isSingleton {
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

  /// What a run has that most have not.
  private enum Trouble: Int, Comparable {
    /// Devices are copied, put back, and cut off.
    case pasts
    case damage
    case badPeers
    /// Journals are repaired before the end, and not only in the end.
    case repairs

    static func < (left: Trouble, right: Trouble) -> Bool { left.rawValue < right.rawValue }

    static func some(using random: inout SplitMix64) -> Set<Trouble> {
      var troubles: Set<Trouble> = []
      if Int.random(in: 0..<3, using: &random) == 0 { troubles.insert(.pasts) }
      if Int.random(in: 0..<5, using: &random) == 0 { troubles.insert(.damage) }
      if Int.random(in: 0..<5, using: &random) == 0 { troubles.insert(.badPeers) }
      if !troubles.isEmpty, Bool.random(using: &random) { troubles.insert(.repairs) }
      return troubles
    }
  }

  /// Who meets whom.
  private enum Topology: CaseIterable {
    case anybody, star, chain, ring, folder
  }

  private mutating func chance(_ of: Int) -> Bool { values.chance(of) }

  private mutating func action(_ topology: Topology, silent: Int) -> SimulatedAction {
    let device = Int.random(in: 0..<liveCount, using: &random)
    if let trouble = troubles.sorted().randomElement(using: &random), chance(6) {
      return action(of: trouble, device)
    }
    if device != silent, chance(6) { return .atSharedPlace(sharedPlaceAction(device)) }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return .reopen(device: device)
    case 1:
      let year = Int.random(in: 1990...2060, using: &random)
      return .setClock(device: device, Timestamp("\(year)-06-01T00:00:00Z")!)
    case 2: return .look(device: device)
    case 3: return .appendAsOf(device: device, [draft()])
    case 4: return .appendBeside(device: device, [draft()])
    case 5, 6:
      let conflict = Int.random(in: 0..<8, using: &random)
      let choice: SimulatedAction.Choice =
        chance(3)
        ? .value(seed: random.next()) : .candidate(Int.random(in: 0..<3, using: &random))
      return .settle(device: device, conflict: conflict, choice)
    case 7...10: return sync(device, topology, silent)
    default:
      let drafts = (0..<Int.random(in: 1...3, using: &random)).map { _ in draft() }
      return .append(device: device, drafts, chance(4) ? .buffered : .durable)
    }
  }

  private mutating func action(of trouble: Trouble, _ device: Int) -> SimulatedAction {
    switch trouble {
    case .pasts: return past(device)
    case .damage:
      let line = Int.random(in: 0..<1_000, using: &random)
      return .damage(device: device, line: line, chance(2) ? .changed : .cutOut)
    case .badPeers:
      let other = Int.random(in: 0..<liveCount, using: &random)
      let peer = BadPeer.allCases.randomElement(using: &random)!
      return .meetBadPeer(device: device, other: other, peer)
    case .repairs: return .repair(device: device, cure(), isOpen: chance(2))
    }
  }

  private mutating func cure() -> SimulatedAction.Cure {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: .alone
    case 1: .givingUp
    case 2: .from(.folder)
    case 3: .from(.cloud)
    default: .from(.device(Int.random(in: 0..<liveCount, using: &random)))
    }
  }

  /// Gives a device a past that another one has too, or that it has had.
  private mutating func past(_ device: Int) -> SimulatedAction {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      guard liveCount < min(deviceCount + 2, SimulatedAction.deviceNames.count) else { fallthrough }
      liveCount += 1
      let copying =
        chance(2) ? .wholeMachine : DeviceCopying.allCases.randomElement(using: &random)!
      return .copy(device: device, as: liveCount - 1, copying)
    case 1, 2: return .backUp(device: device)
    case 3, 4:
      // Often such that nothing tells.
      if chance(2) { return .restore(device: device, .allRolledBack, isOpen: false) }
      return .restore(
        device: device, DeviceRestoring.allCases.randomElement(using: &random)!, isOpen: chance(2))
    default:
      return .cutOff(device: device, lineCount: Int.random(in: 1...5, using: &random))
    }
  }

  private mutating func sync(
    _ device: Int, _ topology: Topology, _ silent: Int
  ) -> SimulatedAction {
    var other = Int.random(in: 0..<liveCount, using: &random)
    switch topology {
    case .anybody, .folder: break
    case .star: if device != 0 { other = 0 }
    case .chain: other = min(device + 1, liveCount - 1)
    case .ring: other = (device + 1) % liveCount
    }
    if device == silent || other == silent { return .look(device: device) }
    var peer: SimulatedAction.Peer = chance(2) ? .folder : .cloud
    if topology != .folder, !chance(4) { peer = .device(other) }
    let ways: [ReplicationPlan.Directions] = [.both, .both, .both, .pull, .push]
    return .sync(
      device: device, with: peer, ways.randomElement(using: &random)!, mishap())
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

  mutating func draft() -> EventDraft {
    let collection = collections.randomElement(using: &random)!
    var schema = collection.events.randomElement(using: &random)!
    // What is deleted takes no more events here, and what there is cannot be begun.
    if schema.lifecycle == .deletes || schema.lifecycle == .begins, !chance(4) {
      let others = collection.events.filter { $0.lifecycle == .none }
      schema = others.randomElement(using: &random) ?? schema
    }
    let key = Self.keys.randomElement(using: &random)!
    let entity = collection.isSingleton ? nil : EntityID(kind: collection.kind, key: key)
    // What nobody has begun would only be refused; nor is all of it begun by one device.
    if let entity, !begun.contains(entity) || chance(15),
      let begins = collection.events.first(where: { $0.lifecycle == .begins })
    {
      begun.insert(entity)
      schema = begins
    }
    return EventDraft(type: schema.type, entity: entity, data: data(schema, collection))
  }

  private mutating func data(
    _ schema: EventSchema, _ collection: CollectionSchema
  ) -> JSONObject {
    let day = schema.members.first { $0.role == .day }
    let isOfDay = day.map { $0.isRequired || chance(2) } ?? false
    var members: [JSONObject.Member] = []
    if isOfDay, let day { members.append(.init(name: day.name, value: values.date())) }
    let others = schema.members.filter { member in
      member.role != .day && (day == nil || isAbout(member, ofDay: isOfDay, collection))
    }
    // At least one of those that may be left out: an event that changes nothing says nothing.
    let chosen = others.filter { !$0.isRequired }.randomElement(using: &random)
    for member in others where member.isRequired || member.name == chosen?.name || chance(3) {
      members.append(
        .init(name: member.name, value: value(of: member, ofDay: isOfDay, collection)))
    }
    if schema.writesFields { members += registers(besides: members, collection) }
    return JSONObject(members)
  }

  /// Whether a member changes something of the day, or something of the entity.
  private func isAbout(
    _ member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> Bool {
    switch member.role {
    case .write(let field), .set(let field), .advance(let field):
      collection.field(field, ofDay: isOfDay) != nil
    case .day, .key, .include, .exclude: true
    }
  }

  private mutating func registers(
    besides members: [JSONObject.Member], _ collection: CollectionSchema
  ) -> [JSONObject.Member] {
    var names = collection.fields.filter(\.mechanism.isRegister).map(\.name)
    if collection.takesFurtherFields { names += ["further1", "further2"] }
    names.removeAll { name in members.contains { $0.name == name } }
    return names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map {
      .init(name: $0, value: value(ofRegister: $0, collection))
    }
  }

  private mutating func value(
    of member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> JSONValue {
    switch member.role {
    case .day: return values.date()
    case .set: return values.number(0...9)
    case .advance: return values.number(-2...5)
    case .key:
      // Else a name that no register has: what is both is told apart by whole journals only.
      let declared = (isOfDay ? collection.dayFields : collection.fields)
        .filter { $0.mechanism == .members }.map(\.name)
      return .string(declared.randomElement(using: &random) ?? "set")
    case .include, .exclude:
      return .array(["x", "y"].filter { _ in chance(2) }.map { .string($0) })
    case .write(let field): return value(ofRegister: field, collection)
    }
  }

  private mutating func value(
    ofRegister field: String, _ collection: CollectionSchema
  ) -> JSONValue {
    if chance(12) { return .null }
    let declared = collection.field(field) ?? collection.field(field, ofDay: true)
    guard case .register(let rule)? = declared?.mechanism else { return values.any() }
    return values.value(rule)
  }
}
