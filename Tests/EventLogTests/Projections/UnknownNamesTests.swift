import EventLog
import EventLogTesting
import Testing

/// The names of undeclared kinds and types, which a state reports.
@Suite struct UnknownNamesTests {
  private func unknown(_ write: (inout TwoDevices) -> Void) throws -> [String] {
    var devices = TwoDevices()
    devices.history.append(devices.phone, "habit.created", "habit/read", ["name": "Read"])
    write(&devices)
    return try project(devices.history).unknownNames
  }

  @Test func `declared types and types reserved for the store are known`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "settings.changed", ["theme": "dark"])
        devices.history.append(devices.phone, "device.slept", ["hours": 8])
      } == [])
  }

  @Test func `an undeclared kind is listed once, with or without entities`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "plant.created", "plant/fern")
        devices.history.append(devices.phone, "plant.watered", "plant/fern")
        devices.history.append(devices.phone, "weather.noted", ["sky": "clear"])
      } == ["plant", "weather"])
  }

  @Test func `an undeclared type of a declared kind is listed in full`() throws {
    #expect(
      try unknown { devices in
        devices.history.append(devices.phone, "habit.sipped", "habit/read", ["ml": 3])
        devices.history.append(devices.phone, "profile.hidden", [:])
      } == ["habit.sipped", "profile.hidden"])
  }

  @Test func `a line of a later version has no unknown type`() throws {
    #expect(
      try unknown { devices in
        devices.history.appendLaterVersion(devices.phone, EntityID("habit/read")!)
      } == [])
  }
}
