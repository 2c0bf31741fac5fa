import EventLog
import EventLogTesting
import Testing

/// What a state says it does not show, because nobody has declared it.
@Suite struct UnknownNamesTests {
  private func unknown(_ write: (inout TwoDevices) -> Void) throws -> [String] {
    var devices = TwoDevices()
    devices.history.append(devices.phone, "habit.created", "habit/read", ["name": "Read"])
    write(&devices)
    return try project(devices.history).unknownNames
  }

  @Test func `what is declared, and what the store writes, is known`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "settings.changed", ["theme": "dark"])
        devices.history.append(devices.phone, "device.slept", ["hours": 8])
      } == [])
  }

  @Test func `a kind is named once, with or without entities`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "plant.created", "plant/fern")
        devices.history.append(devices.phone, "plant.watered", "plant/fern")
        devices.history.append(devices.phone, "weather.noted", ["sky": "clear"])
      } == ["plant", "weather"])
  }

  @Test func `a type of a declared kind is named in full`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "habit.sipped", "habit/read", ["ml": 3])
        devices.history.append(devices.phone, "profile.hidden", [:])
      } == ["habit.sipped", "profile.hidden"])
  }

  @Test func `what a later version of the format wrote has no type`() throws {
    #expect(
      try unknown { devices in
        devices.history.appendLaterVersion(devices.phone, EntityID("habit/read")!)
      } == [])
  }
}
