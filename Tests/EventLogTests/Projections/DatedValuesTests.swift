import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Goals and schedules apply from a day on, so that earlier days keep theirs.
@Suite struct DatedValuesTests {
  private var two = TwoDevices()

  /// The values of a habit's field, as `<day>=<value>`; the beginning has no day.
  private static func steps(_ state: Snapshot, _ field: String = "goal") -> [String] {
    state.timeline(of: field, in: "habit/read").steps.map {
      "\($0.from?.description ?? "")=\($0.value.text)"
    }
  }

  private mutating func edit(
    _ device: DeviceID, at minute: Int64 = 0, goal: JSONValue, from: String? = nil
  ) {
    var data: JSONObject = ["goal": goal]
    if let from { data["from"] = .string(from) }
    two.history.append(
      device,
      EventDraft(
        at: .minute(minute), type: "habit.edited", entity: EntityID("habit/read"), data: data))
  }

  private func completed(_ state: Snapshot) -> [String] {
    let json = String(decoding: state.json(sections: ["completions"]), as: UTF8.self)
    return json.components(separatedBy: #"{"completed":true,"date":""#).dropFirst()
      .map { String($0.prefix(10)) }
  }

  @Test mutating func `a raised goal leaves earlier days completed`() throws {
    edit(two.phone, goal: 10)
    for day in 1...3 {
      two.history.append(
        two.phone, "completion.recorded", "habit/read",
        ["date": .string("2026-02-0\(day)"), "progress": 10])
    }
    #expect(completed(try two.project()) == ["2026-02-01", "2026-02-02", "2026-02-03"])
    edit(two.phone, goal: 20, from: "2026-02-03")
    let raised = try two.project()
    #expect(completed(raised) == ["2026-02-01", "2026-02-02"])
    #expect(Self.steps(raised) == ["=10", "2026-02-03=20"])
    #expect(raised.shown("habit/read", "goal") == 20)
    edit(two.phone, goal: 30)
    #expect(completed(try two.project()) == [], "without a day, it applies from the beginning")
  }

  @Test mutating func `a write replaces the entries that it has seen, from its day on`() throws {
    edit(two.phone, goal: 10)
    for (goal, day) in [(20, "2026-02-01"), (30, "2026-03-01"), (40, "2026-04-01")] {
      edit(two.phone, goal: .number(JSONNumber(Int64(goal))), from: day)
    }
    edit(two.phone, goal: 25, from: "2026-03-01")
    #expect(Self.steps(try two.project()) == ["=10", "2026-02-01=20", "2026-03-01=25"])
    edit(two.phone, goal: .null, from: "2026-01-01")
    #expect(Self.steps(try two.project()) == ["=10", "2026-01-01=null"])
    edit(two.phone, goal: 50)
    #expect(Self.steps(try two.project()) == ["=50"])
  }

  @Test mutating func `devices that raise a goal for different days agree in any order`() throws {
    edit(two.phone, goal: 10)
    two.meet()
    edit(two.phone, at: 2, goal: 20, from: "2026-02-04")
    edit(two.tablet, at: 1, goal: 30, from: "2026-02-10")
    edit(two.tablet, at: 1, goal: 5, from: "2026-02-20")
    let state = try two.project()
    #expect(
      Self.steps(state) == ["=10", "2026-02-04=20", "2026-02-10=30", "2026-02-20=5"])
    #expect(state.conflict("habit/read#goal")?.values == [20, 5], "entries have no conflicts")
    for order in RandomRounds(20) {
      let other = try HistoryJournal().snapshot(
        two.history, lines: two.history.lines(order: order))
      #expect(other.report == state.report && other.json() == state.json())
    }
  }

  @Test mutating func `the later of two concurrent writes for one day applies`() throws {
    edit(two.phone, at: 2, goal: 20, from: "2026-02-04")
    edit(two.tablet, at: 1, goal: 30, from: "2026-02-04")
    #expect(Self.steps(try two.project()) == ["=null", "2026-02-04=20"])
  }

  @Test mutating func `a day is ignored in a creation, and must be a date in an edit`() throws {
    two.history.append(
      two.phone, "habit.created", "habit/run", ["goal": 3, "from": "2026-02-04"])
    edit(two.phone, goal: 20, from: "2026-02-30")
    two.history.append(
      two.phone, "habit.edited", "habit/read", ["name": "Read more", "from": .null])
    let state = try two.project()
    #expect(state.timeline(of: "goal", in: "habit/run").steps.map(\.value) == [3])
    #expect(state.shown("habit/read", "goal") == nil && state.shown("habit/read", "name") == "Read")
    let notes = try HistoryJournal().verify(two.history).notes
    #expect(notes.map(\.code) == [.note(.brokenRule), .note(.brokenRule)])
  }

  @Test mutating func `goals from the beginning need no entries`() throws {
    edit(two.phone, goal: 10)
    edit(two.tablet, goal: 20)
    #expect(try two.project().fold.datedValues.registers.isEmpty)
    two.meet()
    edit(two.phone, goal: 30, from: "2026-02-04")
    #expect(try two.project().fold.datedValues.registers.count == 1)
    edit(two.phone, goal: 30)
    #expect(try two.project().fold.datedValues.registers.isEmpty)
  }

  @Test mutating func `a stored state keeps the entries`() throws {
    edit(two.phone, goal: 10)
    edit(two.phone, goal: 20, from: "2026-02-04")
    edit(two.tablet, goal: 30, from: "2026-02-10")
    let state = try two.project()
    let bytes = state.fold.bytes(state.ledger)
    let events = state.ledger.branches.indices.map { branch in
      state.ledger.branches[branch].first...Int64(1 << 20)
    }
    let read = try Fold(.withFood, from: bytes[...], events: events)
    #expect(read.bytes(state.ledger) == bytes)
    let field = Int32(try #require(read.fieldNames.find("goal")))
    let row = try #require(state.row(at: "habit/read"))
    #expect(
      read.timeline(of: field, row: row, state.ledger).steps
        == state.timeline(of: "goal", in: "habit/read").steps)
  }

  @Test mutating func `a record has the values of a day`() throws {
    edit(two.phone, goal: 10)
    two.history.append(
      two.phone, "habit.edited", "habit/read",
      ["goal": 2, "target": "atMost", "from": "2026-02-04"])
    two.history.append(
      two.phone, "habit.edited", "habit/read", ["schedule": "3/7", "from": "2026-02-10"])
    let state = try two.project()
    let read = ID<Habit>("read")!
    let versions = state.versions(of: read)
    #expect(versions.map(\.from) == [nil, Day("2026-02-04"), Day("2026-02-10")])
    #expect(versions.map(\.value.goal) == [10, 2, 2])
    #expect(versions.map(\.value.target) == [.atLeast, .atMost, .atMost])
    #expect(versions.map(\.value.schedule) == [.daily, .daily, Schedule("3/7")!])
    #expect(state.version(of: read, on: Day("2026-02-03")!)?.goal == 10)
    #expect(state.version(of: read, on: Day("2026-02-10")!)?.name == "Read")
    #expect(state[read]?.schedule == Schedule("3/7"))
    #expect(state.version(of: ID<Habit>("run")!, on: Day("2026-02-10")!) == nil)
  }
}
