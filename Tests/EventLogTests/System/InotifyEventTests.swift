#if os(Linux)
  import EventLogTesting
  import Testing

  @testable import EventLog
  @testable import EventLogSystem

  @Suite struct InotifyEventTests {
    private func bytes(
      _ watch: CInt, _ mask: UInt32, _ name: [UInt8], length: UInt32
    ) -> [UInt8] {
      func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
      let padding = [UInt8](repeating: 0, count: min(64, max(0, Int(length) - name.count)))
      return bytes(watch) + bytes(mask) + bytes(UInt32(7)) + bytes(length) + name + padding
    }

    @Test func `events are read with their names, without padding`() {
      let buffer =
        bytes(1, 2, Array("ada.jsonl".utf8), length: 16) + bytes(2, 0x400, [], length: 0)
        + bytes(-1, 0x4000, [], length: 0)
      let events = InotifyEvent.read(buffer)
      #expect(events.map(\.watch) == [1, 2, -1])
      #expect(events.map(\.name) == [Array("ada.jsonl".utf8), [], []])
      #expect(events.map(\.isOfBytes) == [true, false, false])
      #expect(events.map(\.isOfFolder) == [false, true, false])
      #expect(events.map(\.isOverflow) == [false, false, true])
    }

    @Test func `truncated or oversized events are ignored`() {
      let whole = bytes(1, 2, Array("a".utf8), length: 16)
      for count in 0..<whole.count {
        #expect(InotifyEvent.read(Array(whole.prefix(count))).isEmpty)
        #expect(InotifyEvent.read(whole + whole.prefix(count)).count == 1)
      }
      #expect(InotifyEvent.read(bytes(1, 2, [], length: .max)).isEmpty)
    }

    @Test func `an overflow calls every watch`() async {
      // In a separate process, because an overflow calls the watches of all tests.
      await OwnQueue.run {
        await #expect(processExitsWith: .success) {
          let watched = try WatchedFolder()
          let looks = [Looks(), Looks()]
          let watches = try looks.map { looks in
            try watched.disk.watch(watched.path()) { _ in looks.look(at: watched.path()) }
          }
          Inotify.shared.take([InotifyEvent(watch: -1, mask: 0x4000, name: [])])
          for looks in looks { try #require(await looks.waitForCall()) }
          for watch in watches { watch.cancel() }
        }
      }
    }
  }
#endif
