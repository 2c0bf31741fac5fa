import Testing

@testable import EventLog

@Suite struct CharacterClassTests {
  static let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  static let lower = "abcdefghijklmnopqrstuvwxyz"
  static let digits = "0123456789"

  @Test func `every character class contains exactly its characters`() {
    let classes: [(CharacterClass, String)] = [
      (.device, Self.upper + Self.lower + Self.digits + "._-"),
      (.type, Self.lower + Self.digits + "._-"),
      (.kind, Self.lower + Self.digits + "-"),
      (.key, Self.upper + Self.lower + Self.digits + "._~-"),
    ]
    for (members, characters) in classes {
      for byte in UInt8.min ... .max {
        #expect(
          members.contains(byte) == characters.utf8.contains(byte), "\(byte) of \(characters)")
      }
    }
  }
}
