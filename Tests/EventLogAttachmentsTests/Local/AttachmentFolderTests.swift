import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogAttachments

/// Contents in the folder beside a journal.
@Suite struct AttachmentFolderTests {
  private let place: TemporaryFolder
  private let disk = InstrumentedFileSystem()
  private var folder: AttachmentFolder {
    AttachmentFolder(beside: place.file("ada.jsonl"), fileSystem: disk)
  }

  init() throws { place = try TemporaryFolder() }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: place.file(name)))
    return place.file(name)
  }

  private func code(_ body: () throws(EventLogError) -> Void) -> EventLogError.Code? {
    do throws(EventLogError) {
      try body()
      return nil
    } catch { return error.code }
  }

  private func names() -> [String] { (try? disk.contents(of: folder.path)) ?? [] }

  @Test func `a content is stored once, in a file named by its SHA-256`() throws {
    let one = try folder.store(Array("abc".utf8), type: "text/plain", options: .init())
    let file = try write(Array("abc".utf8), "a.txt")
    let other = try folder.store(fileAt: file, options: .init())
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(one.sha256 == hash && one.bytes == 3 && one.name == nil)
    #expect(other.sha256 == hash && other.type == "text/plain" && other.name == "a.txt")
    #expect(names() == [hash])
    #expect(folder.path == place.file("ada.attachments"))
    #expect(try folder.content(of: one) == Array("abc".utf8))
    #expect(try folder.damaged().isEmpty)
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 600_000])
  func `a content of any size is stored byte for byte`(count: Int) throws {
    let bytes = noise(count).prefix(count)
    let file = try write(Array(bytes), "a.bin")
    let stored = try folder.store(fileAt: file, options: .init())
    #expect(stored.bytes == Int64(count) && stored.type == "application/octet-stream")
    #expect(try folder.content(of: stored) == Array(bytes))
    #expect(stored.sha256 == SHA256.digest(Array(bytes)).hexadecimal)
  }

  @Test(arguments: PhotoFile.allCases)
  func `an image loses its position in the stored copy only`(kind: PhotoFile) throws {
    var random = SeededRandom(3)
    let secret = Secret(&random)
    let bytes = kind.make(5, secret).bytes
    let file = try write(bytes, "photo")
    let stored = try folder.store(fileAt: file, options: .init())
    let copy = try folder.content(of: stored)
    #expect(secret.isIn(bytes) && !secret.isIn(copy) && copy != bytes)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(bytes))
    let kept = try folder.store(bytes, type: "image/x", options: .init(keepsPosition: true))
    #expect(try folder.content(of: kept) == bytes)
  }

  @Test func `an image whose position can't be removed is refused`() throws {
    let cut = Array(PhotoFile.jpeg.make(5, Secret.of(3)).bytes.prefix(40))
    #expect(
      code { () throws(EventLogError) in
        _ = try folder.store(cut, type: "image/jpeg", options: .init())
      } == .invalidInput)
    #expect(names().isEmpty)
    _ = try folder.store(cut, type: "image/jpeg", options: .init(keepsPosition: true))
  }

  @Test func `a link, a folder and a file that is too large are refused with one sentence`() throws
  {
    let file = try write([1, 2, 3], "a.bin")
    try FileManager.default.createSymbolicLink(
      atPath: place.file("link"), withDestinationPath: file)
    try disk.makeFolder(place.file("folder"))
    let limit = AttachmentOptions(bytesMax: 2)
    for (path, options, text) in [
      ("link", AttachmentOptions(), "is a link"), ("folder", AttachmentOptions(), "is a folder"),
      ("a.bin", limit, "has 3 bytes, and an attachment has at most 2"),
    ] {
      do throws(EventLogError) {
        _ = try folder.store(fileAt: place.file(path), options: options)
        Issue.record("\(path) was attached")
      } catch {
        #expect(error.code == .invalidInput && error.message.contains(text), "\(error)")
        #expect(error.message.hasSuffix("Nothing was attached.") && error.hint != nil)
      }
    }
    #expect(
      code { () throws(EventLogError) in
        _ = try folder.store(fileAt: place.file("none"), options: .init())
      } == .inputOutput)
    for type in ["", "image", "image/", "image/a b", "a/b/c", "im\u{1}age/png"] {
      #expect(
        code { () throws(EventLogError) in _ = try folder.store([1], type: type, options: .init()) }
          == .invalidInput)
    }
    #expect(names().isEmpty)
  }

  @Test func `a file that changes while it is read is refused`() throws {
    let file = try write(noise(600_000), "a.bin")
    // Calls before the copy ends.
    for count in [7, 9, 11] {
      disk.interrupt(after: count) {
        let handle = try? FileHandle(forWritingTo: URL(fileURLWithPath: file))
        _ = try? handle?.seekToEnd()
        try? handle?.write(contentsOf: Data([1]))
        try? handle?.close()
      }
      do throws(EventLogError) {
        _ = try folder.store(fileAt: file, options: .init())
        Issue.record("call \(count)")
      } catch { #expect(error.message.contains("changed while it was read"), "\(error)") }
      #expect(names().isEmpty)
    }
  }

  @Test(arguments: [Errno.noSpace, .inputOutput])
  func `a failure at any call leaves no content or the whole one`(error: Errno) throws {
    let bytes = noise(300_000)
    let file = try write(bytes, "a.bin")
    var failureCount = 0
    for count in 0..<40 {
      disk.failNextCall(after: count, with: error)
      let code = code { () throws(EventLogError) in
        _ = try folder.store(fileAt: file, options: .init())
      }
      disk.stopFailing()
      #expect(code == nil || code == .inputOutput)
      #expect(try folder.damaged().isEmpty)
      let left = names().filter { !ContentHashes.isHash($0) }
      #expect(left.isEmpty, "call \(count)")
      if code != nil { failureCount += 1 }
      for name in names() { try disk.remove(Path.join(folder.path, name)) }
    }
    #expect(failureCount > 8)
  }

  @Test func `a content's bytes are synced before it gets its name`() throws {
    let recorder = CrashRecorder(InstrumentedFileSystem())
    let folder = AttachmentFolder(beside: place.file("ada.jsonl"), fileSystem: recorder)
    let stored = try folder.store(noise(1000), type: "a/b", options: .init())
    #expect(
      recorder.possibleContents(of: folder.file(of: stored.sha256), limit: 100, seed: 1)
        == [noise(1000)])
    #expect(!recorder.mayBeMissing(folder.file(of: stored.sha256)))
  }

  @Test func `a damaged content is reported, and attaching the original repairs it`() throws {
    let stored = try folder.store(noise(1000), type: "a/b", options: .init())
    try Data(noise(1000, 2)).write(to: URL(fileURLWithPath: folder.file(of: stored.sha256)))
    #expect(try folder.damaged() == [stored.sha256])
    _ = try folder.store(noise(1000), type: "a/b", options: .init())
    #expect(try folder.damaged().isEmpty)
  }

  @Test func `the contents of another journal are copied, without damaged ones`() throws {
    let guest = AttachmentFolder(beside: place.file("guest.jsonl"), fileSystem: disk)
    let both = try guest.store(noise(10), type: "a/b", options: .init())
    _ = try folder.store(noise(10), type: "a/b", options: .init())
    let one = try guest.store(noise(300_000, 2), type: "a/b", options: .init())
    let damaged = try guest.store(noise(10, 3), type: "a/b", options: .init())
    try Data(noise(10, 4)).write(to: URL(fileURLWithPath: guest.file(of: damaged.sha256)))
    #expect(try folder.copyContents(from: guest) == 1)
    #expect(names() == [both.sha256, one.sha256].sorted())
    #expect(try folder.content(of: one) == noise(300_000, 2))
    #expect(try folder.copyContents(from: guest) == 0)
    #expect(try guest.contents().count == 3)
  }

  @Test func `an attachment is the same after its JSON`() throws {
    for name in [nil, "soup.jpg", "../../etc/passwd"] {
      let stored = try folder.store([1], type: "image/jpeg", name: name, options: .init())
      #expect(Attachment(json: stored.json) == stored)
      #expect(ValueRule.attachment.accepts(stored.json))
    }
    #expect(Attachment(json: ["sha256": "a", "bytes": 1, "type": "a/b"]) == nil)
    #expect(Attachment(json: "a") == nil)
  }
}

extension Secret {
  static func of(_ seed: UInt64) -> Secret {
    var random = SeededRandom(seed)
    return Secret(&random)
  }
}
