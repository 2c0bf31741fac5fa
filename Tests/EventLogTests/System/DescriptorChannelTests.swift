import EventLog
import EventLogPipe
import Foundation
import Testing

@Suite struct DescriptorChannelTests {
  /// Reads everything that the program writes.
  private func output(of channel: DescriptorChannel) async throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try await channel.read(within: 600_000)
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  private func errno(_ body: () async throws(Errno) -> Void) async -> Errno? {
    do throws(Errno) {
      try await body()
      return nil
    } catch { return error }
  }

  @Test func `more bytes than a pipe holds pass in both directions`() async throws {
    try await OwnQueue.run {
      let channel = try DescriptorChannel(starting: ["cat"])
      let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
      let writing = Task { try await channel.write(bytes, within: 600_000) }
      var back: [UInt8] = []
      while back.count < bytes.count { back += try await channel.read(within: 600_000) }
      try await writing.value
      #expect(back == bytes)
    }
  }

  @Test
  func `the ending of a program has its exit code and the end of its error output`() async throws {
    try await OwnQueue.run {
      let channel = try DescriptorChannel(
        starting: [
          "sh", "-c",
          "echo out; i=0; while [ $i -lt 2000 ]; do echo err$i >&2;"
            + " i=$((i+1)); done; exit 7",
        ])
      #expect(try await output(of: channel) == Array("out\n".utf8))
      let ending = try #require(await channel.ending())
      #expect(ending.exitCode == 7 && ending.signal == nil)
      // Only the last 4096 bytes are kept.
      #expect(ending.errorOutput.count == 4096)
      #expect(ending.errorOutput.suffix(8) == Array("err1999\n".utf8))
    }
  }

  @Test func `the ending of a killed program has its signal`() async throws {
    try await OwnQueue.run {
      let channel = try DescriptorChannel(starting: ["sh", "-c", "kill -9 $$"])
      #expect(try await output(of: channel) == [])
      #expect(await channel.ending()?.signal == 9)
    }
  }

  @Test func `writing to a program that ended is an error, not a signal`() async throws {
    try await OwnQueue.run {
      let channel = try DescriptorChannel(starting: ["true"])
      _ = try await output(of: channel)
      let error = await errno { () throws(Errno) in
        while true {
          try await channel.write([UInt8](repeating: 0, count: 1 << 16), within: 600_000)
        }
      }
      #expect(error == .brokenPipe)
    }
  }

  @Test func `starting a missing or invalid program is an error`() async {
    for (command, expected) in [
      (["/none/such"], Errno.noSuchFile), (["no such program"], .noSuchFile),
      (["/dev/null"], .permissionDenied), ([], .invalidArgument), (["a\u{0}b"], .invalidArgument),
    ] {
      let error = await errno { () throws(Errno) in
        _ = try DescriptorChannel(starting: command)
      }
      #expect(error == expected, "\(command)")
    }
  }

  @Test func `reading and writing time out if the program is silent`() async throws {
    let channel = try DescriptorChannel(starting: ["sleep", "1000"])
    let reading = await errno { () throws(Errno) in _ = try await channel.read(within: 10) }
    #expect(reading == .timedOut)
    let writing = await errno { () throws(Errno) in
      try await channel.write([UInt8](repeating: 0, count: 1 << 20), within: 10)
    }
    #expect(writing == .timedOut)
  }

  @Test func `error output doesn't count as an answer, however long it is`() async throws {
    let channel = try DescriptorChannel(starting: ["sh", "-c", "yes >&2; true"])
    let reading = await errno { () throws(Errno) in _ = try await channel.read(within: 50) }
    #expect(reading == .timedOut)
    let writing = await errno { () throws(Errno) in
      try await channel.write([UInt8](repeating: 0, count: 1 << 20), within: 50)
    }
    #expect(writing == .timedOut)
    channel.close()
    #expect(await channel.ending() != nil)
  }

  @Test func `closing a channel cancels pending calls and ends the program`() async throws {
    // The program never reads its input.
    let channel = try DescriptorChannel(starting: ["sh", "-c", "echo $$; exec sleep 1000"])
    let line = String(decoding: try await channel.read(within: 600_000), as: UTF8.self)
    let process = try #require(pid_t(line.dropLast()))
    #expect(kill(process, 0) == 0)
    let waiting = Task {
      await errno { () throws(Errno) in _ = try await channel.read(within: 600_000) }
    }
    try await Task.sleep(for: .milliseconds(20))
    channel.close()
    channel.close()
    #expect(await waiting.value == .canceled)
    let writing = await errno { () throws(Errno) in try await channel.write([1], within: 10) }
    #expect(writing == .canceled)
    try await expectEnd(of: process)
  }

  @Test func `a program ends when its channel is released`() async throws {
    var channel: DescriptorChannel? = try DescriptorChannel(
      starting: ["sh", "-c", "echo $$; exec sleep 1000"])
    let line = String(decoding: try await channel!.read(within: 600_000), as: UTF8.self)
    channel = nil
    try await expectEnd(of: try #require(pid_t(line.dropLast())))
  }

  /// Waits until the process is gone and reaped.
  private func expectEnd(of process: pid_t) async throws {
    for _ in 0..<3000 where kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(kill(process, 0) != 0)
  }

  @Test func `a program reads the end of its input when the channel is closed`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let channel = try DescriptorChannel(
      starting: ["sh", "-c", "cat > \"$0\"; mv \"$0\" \"$0.whole\"", folder.path])
    try await channel.write(Array("all of it".utf8), within: 600_000)
    channel.close()
    let whole = folder.appendingPathExtension("whole").path
    for _ in 0..<3000 where !FileManager.default.fileExists(atPath: whole) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try String(contentsOfFile: whole, encoding: .utf8) == "all of it")
    try FileManager.default.removeItem(atPath: whole)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `programs don't inherit each other's pipes`() async throws {
    // If the second program held the first one's input open, the first would never end.
    func pipes(_ channel: DescriptorChannel) async throws -> Set<Substring> {
      var text = ""
      while !text.hasSuffix("end\n") {
        text += String(decoding: try await channel.read(within: 600_000), as: UTF8.self)
      }
      return Set(text.split(separator: "\n").filter { $0.hasPrefix("pipe:") })
    }
    let first = try DescriptorChannel(
      starting: ["sh", "-c", "cd /proc/$$/fd; readlink 0 1 2; echo end; exec cat"])
    let own = try await pipes(first)
    #expect(own.count == 3)
    let second = try DescriptorChannel(
      starting: ["sh", "-c", "ls -l /proc/$$/fd | sed -n 's/.* -> //p'; echo end; exec cat"])
    #expect(try await pipes(second).isDisjoint(with: own))
    first.close()
    second.close()
  }
}
