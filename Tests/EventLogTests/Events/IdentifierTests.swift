import EventLogCollections
import Testing

@testable import EventLog

@Suite struct DeviceIDTests {
  @Test func `a device ID consists of 1 to 64 allowed characters`() {
    for text in ["a", "-", ".", "_", "phone-k3f9a2xq", String(repeating: "Z", count: 64)] {
      #expect(DeviceID(text)?.text == text)
    }
    for text in [
      "", " ", "a b", "a:b", "a/b", "a~b", "\u{E9}", "e\u{301}", "a\n", "a\0",
      String(repeating: "Z", count: 65),
    ] {
      #expect(DeviceID(text) == nil, "\(text)")
    }
  }

  @Test func `device IDs are ordered by bytes`() throws {
    let sorted = ["-", ".", "10", "9", "A", "Z", "_", "a", "a-b", "a.b", "ab", "b"]
    #expect(try sorted.reversed().map { try #require(DeviceID($0)) }.sorted().map(\.text) == sorted)
  }

  @Test func `a new device ID is always valid and ends in its suffix`() {
    let names = [
      "", "phone", "Ada's phone", "T\u{E4}blet", "\u{6771}\u{4EAC}", "a/b:c",
      String(repeating: "x", count: 500),
    ]
    for name in names {
      let id = DeviceID.fresh(name: name, suffix: "k3f9a2xq")
      #expect(DeviceID(id.text) == id)
      #expect(id.text.hasSuffix("-k3f9a2xq"))
      #expect(id.text.utf8.count > 9)
    }
    #expect(DeviceID.fresh(name: "phone", suffix: "k3f9a2xq").text == "phone-k3f9a2xq")
    #expect(DeviceID.fresh(name: "", suffix: "k3f9a2xq").text == "device-k3f9a2xq")
  }

  @Test(arguments: [
    ("Ada\u{2019}s  iPhone", "Ada-s-iPhone"), (" T\u{E4}b (2) ", "T-b-2"), ("a--b-", "a--b-"),
    ("\u{6771}\u{4EAC}", "device"),
  ])
  func `characters of a name that an ID can't contain become one dash`(name: String, base: String) {
    let id = DeviceID.fresh(name: name, suffix: "k3f9a2xq")
    #expect(id.text == "\(base)-k3f9a2xq" && id.base == base)
  }
}

@Suite struct EventIDTests {
  @Test func `an event ID round-trips as a device and a sequence`() throws {
    let device = try #require(DeviceID("phone-k3f9a2xq"))
    #expect(EventID("phone-k3f9a2xq:42") == EventID(device: device, sequence: 42))
    #expect(EventID(device: device, sequence: 42).description == "phone-k3f9a2xq:42")
    #expect(EventID("a:1") != nil)
    #expect(EventID("a:9007199254740991")?.sequence == 9_007_199_254_740_991)
  }

  @Test(arguments: [
    "", ":", "a", "a:", ":1", "a:0", "a:01", "a:-1", "a:+1", "a:1.0", "a:1e0", "a: 1", "a:1 ",
    "a:9007199254740992", "a:99999999999999999999", "a:b:1", "a b:1", "\u{E9}:1", "a:\u{FF11}",
    "a:\u{301}1", "a:1\u{301}", "a:x",
  ])
  func `any other text isn't an event ID`(text: String) {
    #expect(EventID(text) == nil)
  }

  @Test func `an event ID accepts the longest device ID`() {
    let longest = String(repeating: "d", count: 64)
    #expect(EventID(longest + ":1") != nil)
    #expect(EventID(longest + "d:1") == nil)
  }
}

@Suite struct FullEventIDTests {
  @Test func `a full event ID round-trips as an event ID and a chain`() throws {
    let device = try #require(DeviceID("phone-k3f9a2xq"))
    let full = try #require(FullEventID("phone-k3f9a2xq:42~1f00aa9c"))
    #expect(full == FullEventID(device: device, sequence: 42, chain: 0x1F00_AA9C))
    #expect(full.description == "phone-k3f9a2xq:42~1f00aa9c")
    #expect(full.shortID == EventID("phone-k3f9a2xq:42"))
    #expect(full.id == EventID("phone-k3f9a2xq:42~1f00aa9c"))
    #expect(full.id != full.shortID)
    #expect(full.id.description == full.description)
  }

  @Test(arguments: [
    "a:1", "a:1~", "a:1~1f00aa9", "a:1~1f00aa9c0", "a:1~1F00AA9C", "a:1~1f00aa9g", "a~1f00aa9c:1",
    "~1f00aa9c", "a:1~+f00aa9c", "a:1~ 1f00aa9c", "a:1~1f00aa9c ", "a:1~~1f00aa9c", "a:0~1f00aa9c",
    "a:1~1f00aa9\u{E9}", "a:1~1f00aa9c~1f00aa9c",
  ])
  func `any other text isn't a full event ID`(text: String) {
    #expect(FullEventID(text) == nil)
  }

  @Test func `full event IDs are ordered by device bytes, sequence and chain`() throws {
    let sorted = [
      "-:1~00000000", "a:1~00000000", "a:1~0000000a", "a:2~00000000", "a:10~00000000",
      "a-b:1~00000000", "b:1~00000000",
    ]
    let ids = try sorted.map { try #require(FullEventID($0)) }
    #expect(ids.reversed().sorted() == ids)
  }
}

@Suite struct EntityIDTests {
  @Test(arguments: ["habit/3f9c", "a/~", "-/-", "food-1/A.b_c~d-e", "0/0"])
  func `an entity ID round-trips as a kind and a key`(text: String) {
    #expect(EntityID(text)?.description == text)
  }

  @Test(arguments: [
    "", "/", "habit", "habit/", "/a", "Habit/a", "ha.bit/a", "ha_bit/a", "habit/a/b", "habit/a b",
    "habit/\u{E9}", "habit/a:b", "habit//a", "habit/a@b", "habit /a", "habit/\u{301}a",
  ])
  func `any other text isn't an entity ID`(text: String) {
    #expect(EntityID(text) == nil)
  }

  @Test func `a kind or key that is empty or too long is refused`() {
    let kind = String(repeating: "k", count: 64)
    let key = String(repeating: "K", count: 128)
    #expect(EntityID(kind: kind, key: key) != nil)
    #expect(EntityID(kind: kind + "k", key: key) == nil)
    #expect(EntityID(kind: kind, key: key + "K") == nil)
    #expect(EntityID(kind: "", key: key) == nil)
    #expect(EntityID(kind: kind, key: "") == nil)
  }
}

@Suite struct EventDraftTests {
  @Test func `a type is valid if it has characters on both sides of a dot`() {
    for type in [
      "a.b", "habit.created", "a.b.c", "x..y", "1.-", String(repeating: "a", count: 62) + ".b",
    ] {
      #expect(EventDraft.isValid(type: type), "\(type)")
    }
    for type in [
      "", ".", "a.", ".b", "ab", "A.b", "a b.c", "a/b.c", "\u{E9}.a",
      String(repeating: "a", count: 63) + ".b",
    ] {
      #expect(!EventDraft.isValid(type: type), "\(type)")
    }
  }

  @Test func `a ref is valid if it has 1 to 128 scalar values`() {
    #expect(!EventDraft.isValid(ref: ""))
    #expect(EventDraft.isValid(ref: "x"))
    #expect(EventDraft.isValid(ref: String(repeating: "\u{1F600}", count: 128)))
    #expect(!EventDraft.isValid(ref: String(repeating: "e\u{301}", count: 64) + "x"))
  }
}

@Suite struct VectorClockTests {
  @Test func `the tips of a clock are sorted and found by device`() throws {
    let names = ["b:2~00000001", "a:10~00000001", "a:9~00000002", "a:9~00000001", "B:1~00000001"]
    let clock = VectorClock(try names.map { try #require(FullEventID($0)) })
    #expect(
      clock.tips.map(\.description) == [
        "B:1~00000001", "a:9~00000001", "a:9~00000002", "a:10~00000001", "b:2~00000001",
      ])
    #expect(try clock[#require(DeviceID("a"))].map(\.sequence) == [9, 9, 10])
    #expect(try clock[#require(DeviceID("c"))] == [])
    #expect(!clock.isEmpty && VectorClock().isEmpty)
  }
}
