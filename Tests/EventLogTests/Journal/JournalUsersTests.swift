import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// The user of a journal and the users that belong to it, independent of the order of lines.
@Suite struct JournalUsersTests {
  /// Returns users by the devices that joined as them, with adoptions by these devices.
  private func users(
    _ joined: [String], adoptions: [(device: Int, from: String, to: String)] = []
  ) -> JournalUsers {
    var users = JournalUsers()
    for (device, user) in joined.enumerated() {
      _ = users.add(Joining(user: user, name: "phone"), of: device)
    }
    for adoption in adoptions {
      _ = users.add(.init(device: adoption.device, from: adoption.from, to: adoption.to))
    }
    return users
  }

  @Test func `a journal belongs to the only user that no other has adopted`() {
    #expect(users([]).found(ownUser: nil) == nil)
    #expect(users(["ada", "ada"]).found(ownUser: nil) == "ada")
    #expect(users(["ada", "guest"]).found(ownUser: nil) == nil)
    let adopted = users(["ada", "guest"], adoptions: [(0, "guest", "ada")])
    #expect(adopted.found(ownUser: nil) == "ada")
    #expect(adopted.found(ownUser: "guest") == "guest")
    let chain = users(
      ["one", "two", "ada"], adoptions: [(1, "one", "two"), (2, "two", "ada")])
    #expect(chain.found(ownUser: nil) == "ada")
    // A cycle leaves no user.
    let circle = users(["ada", "guest"], adoptions: [(0, "guest", "ada"), (1, "ada", "guest")])
    #expect(circle.found(ownUser: nil) == nil)
  }

  @Test func `adopted users belong to the adopter of their adopter`() {
    let chain = users(
      ["one", "two", "ada", "ben"],
      adoptions: [(0, "zero", "one"), (1, "one", "two"), (2, "two", "ada")])
    #expect(
      Set(chain.closure(of: "ada").map { String(decoding: $0, as: UTF8.self) }) == [
        "zero", "one", "two",
      ])
    #expect(chain.closure(of: "one").count == 1 && chain.closure(of: "ben").isEmpty)
  }

  @Test func `an adoption counts only if its device joined as the adopting user`() {
    let others = users(["ada", "ben"], adoptions: [(1, "guest", "ada")])
    #expect(others.closure(of: "ada").isEmpty)
    let own = users(["ada", "ben"], adoptions: [(0, "guest", "ada")])
    #expect(own.closure(of: "ada").count == 1)
  }

  @Test func `a cycle of adoptions never makes a user adopt itself`() {
    let circle = users(["ada", "guest"], adoptions: [(0, "guest", "ada"), (1, "ada", "guest")])
    #expect(circle.closure(of: "ada") == [Array("guest".utf8)])
    #expect(circle.closure(of: "guest") == [Array("ada".utf8)])
    #expect(users(["ada"], adoptions: [(0, "ada", "ada")]).closure(of: "ada").isEmpty)
  }

  @Test func `user names are compared by bytes`() {
    let (composed, decomposed) = ("\u{E9}va", "e\u{301}va")
    let names = users(
      ["ada"], adoptions: [(0, composed, "ada"), (0, decomposed, "ada")])
    #expect(names.closure(of: "ada").count == 2)
    var other = JournalUsers()
    (other.user, other.adopted) = (composed, [])
    #expect(other.belongs(Array(composed.utf8)) && !other.belongs(Array(decomposed.utf8)))
  }
}

/// Guests and adoptions in every order of their lines.
@Suite struct AdoptionOrderTests {
  /// Calls `body` with each order of `elements`, or each fifth in a quick run.
  private func forEachOrder<Element>(
    _ elements: [Element], _ body: ([Element]) throws -> Void
  ) rethrows {
    var rest = elements
    var number = 0
    func permute(_ count: Int) throws {
      if count == rest.count {
        number += 1
        return Rounds.areComplete || number % 5 == 1 ? try body(rest) : ()
      }
      for index in count..<rest.count {
        rest.swapAt(count, index)
        try permute(count + 1)
        rest.swapAt(count, index)
      }
    }
    try permute(0)
  }

  private func state(_ lines: [[UInt8]], user: String?) throws -> (json: String, report: [String]) {
    let journal = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: user)
    #expect(journal.pass.ledger.broken == [])
    let report = journal.pass.report
    return (
      String(decoding: try journal.snapshot().json(), as: UTF8.self),
      (report.problems + report.notes).map { "\($0.code.text) \($0.device ?? "")" }.sorted()
    )
  }

  /// Ada has adopted a guest that had adopted another guest.
  private let lines: [[UInt8]]

  init() {
    var (ada, two, one) = (HandmadeDevice("ada"), HandmadeDevice("two"), HandmadeDevice("one"))
    lines = [
      one.join(user: "guest-1"),
      two.join(user: "guest-2"),
      two.write("user.adopted", nil, ["from": "guest-1", "to": "guest-2"]),
      one.write("settings.changed", nil, ["theme": "one"]),
      ada.join(user: "ada"), ada.write("user.adopted", nil, ["from": "guest-2", "to": "ada"]),
    ]
  }

  @Test(arguments: [nil, "ada"])
  func `the state doesn't depend on the order of the lines`(user: String?) throws {
    let expected = try state(lines, user: user)
    #expect(expected.json.contains(#""theme":"one""#) && expected.json.contains(#""user":"ada""#))
    #expect(expected.report == [])
    try forEachOrder(Array(lines.indices)) { order in
      let found = try state(order.map { lines[$0] }, user: user)
      try #require(found == expected, "\(order)")
    }
  }

  @Test func `lines that arrive one by one yield the same state as all at once`() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20 {
      let order = lines.indices.shuffled(using: &random)
      let growing = GrowingJournal(user: "ada")
      for count in 1...order.count {
        try growing.append([lines[order[count - 1]] + [0x0A]])
        try growing.read()
        let expected = try state(order.prefix(count).map { lines[$0] }, user: "ada").json
        let found = String(decoding: try growing.snapshot().json(), as: UTF8.self)
        try #require(found == expected, "\(order.prefix(count))")
      }
    }
  }

  @Test(arguments: ["ada", "ben"])
  func `a device with two first events belongs to both users`(user: String) throws {
    // A user copied the files of a device before it joined, and each copy joined as another user.
    var (ada, other) = (HandmadeDevice("ada"), HandmadeDevice("both"))
    var ben = other
    let lines = [
      other.join(user: "ada"), other.write("settings.changed", nil, ["theme": "ada"]),
      ben.join(user: "ben"), ben.write("settings.changed", nil, ["colour": "ben"]),
      ada.join(user: "ada"), ada.event(seeing: [ben.tip]),
    ]
    let reference = ReferenceHistories(lines.compactMap { ReferenceLine($0) }, user: user)
    let expected = try state(lines, user: user)
    #expect(expected.json.contains(#""colour":"ben""#) && expected.json.contains(#""theme":"ada""#))
    #expect(reference.users.belongs(other.id))
    #expect(expected.report == (user == "ben" ? ["fork both", "otherUser ada"] : ["fork both"]))
    try forEachOrder(Array(lines.indices)) { order in
      let found = try state(order.map { lines[$0] }, user: user)
      try #require(found == expected, "\(order)")
    }
  }

  @Test func `a guest's journal accepts no events of its adopter`() throws {
    let found = try state(lines, user: "guest-2")
    #expect(found.json.contains(#""theme":"one""#) && found.json.contains(#""user":"guest-2""#))
    #expect(found.report == ["otherUser ada"])
    let first = try state(lines, user: "guest-1")
    #expect(first.report == ["otherUser ada", "otherUser two"])
  }

  @Test func `a journal of two unrelated users is read for the requested user`() throws {
    var (ada, ben) = (HandmadeDevice("ada"), HandmadeDevice("ben"))
    let both = [
      ben.join(user: "ben"), ben.write("settings.changed", nil, ["theme": "ben"]),
      ada.join(user: "ada"), ada.write("settings.changed", nil, ["theme": "ada"]),
    ]
    let box = try Sandbox()
    try forEachOrder(Array(both.indices)) { order in
      try box.put(order.flatMap { both[$0] + [0x0A] })
      for (user, other) in [("ada", "ben"), ("ben", "ada")] {
        let journal = Journal(path: box.path, catalog: .standard, user: user)
        let settings = try journal.snapshot().snapshot.singleton("settings")
        #expect(settings.map(\.shown) == [.string(user)])
        var replayed: [String] = []
        _ = try journal.replay { event, _ in
          replayed.append(event.id.device.text)
          return true
        }
        #expect(replayed == [user, user])
        let problems = try journal.verify().problems
        #expect(problems.map(\.code) == [.otherUser] && problems[0].device == other)
      }
      let error = failure { () throws(EventLogError) in
        _ = try Journal(path: box.path, catalog: .standard).snapshot()
      }
      #expect(error?.code == .userNeeded)
    }
  }
}
