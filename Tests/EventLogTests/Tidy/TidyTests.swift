import Testing

@testable import EventLog

/// The rules that keep the source readable as a whole.
///
/// Each failure reports file and line.
@Suite struct TidyTests {
  /// The library's layers.
  ///
  /// A folder uses no declaration of a folder to its right.
  static let layers = [
    "System", "Scanning", "Events", "Journal", "Schema", "Projections", "Replication", "Store",
  ]

  /// The library and the modules that share its rules.
  private static let modules =
    SourceTree.library + SourceTree.attachments + SourceTree.crashReports + SourceTree.inspection
    + SourceTree.pipe + SourceTree.remotes

  private func report(_ complaints: [String], _ location: SourceLocation = #_sourceLocation) {
    for complaint in complaints {
      Issue.record(Comment(rawValue: complaint), sourceLocation: location)
    }
  }

  /// Complaints about the words of `files` that `isForbidden`.
  private func complaints(
    _ files: [SwiftSource], _ rule: String, where isForbidden: (String) -> Bool
  ) -> [String] {
    files.flatMap { file in
      file.words.filter { isForbidden($0.word) }
        .map { "\(file.path):\($0.line): \($0.word): \(rule)" }
    }
  }

  /// The modules that a file imports, each with its line.
  private func imports(_ file: SwiftSource) -> [(module: String, line: Int)] {
    let words = file.words
    return words.indices.dropLast().compactMap { index in
      let (word, line) = words[index]
      let next = words[index + 1]
      return word == "import" && next.line == line ? (next.word, line) : nil
    }
  }

  // MARK: - Layers

  @Test func `the sources of all modules are found`() {
    #expect(SourceTree.library.count > 60)
    #expect(SourceTree.attachments.count > 20)
    #expect(SourceTree.crashReports.count > 15)
    #expect(SourceTree.inspection.count > 10)
    #expect(SourceTree.pipe.count > 20)
    #expect(SourceTree.remotes.count > 20)
    #expect(SourceTree.command.count > 10)
    #expect(SourceTree.files.contains { $0.path.hasPrefix("Tests/EventLogTests/Tidy/") })
  }

  @Test func `every file of the library belongs to a layer`() {
    let known = Set(Self.layers)
    report(
      SourceTree.library.filter {
        !known.contains($0.layer ?? "") || $0.folders.count != ($0.layer == "System" ? 2 : 3)
      }
      .map { "\($0.path) belongs to no layer." })
  }

  @Test func `a layer uses no type of a layer above it`() {
    var layerIndexes: [String: Int] = [:]
    for file in SourceTree.library {
      guard let index = Self.layers.firstIndex(of: file.layer ?? "") else { continue }
      for type in file.declaredTypes { layerIndexes[type] = index }
    }
    #expect(layerIndexes["FileSystem"] == 0)
    #expect(layerIndexes["EventStore"] == Self.layers.count - 1)
    for (index, layer) in Self.layers.enumerated() {
      report(
        complaints(
          SourceTree.library.filter { $0.layer == layer },
          "declared to the right of \(layer)", where: { layerIndexes[$0] ?? 0 > index }))
    }
  }

  @Test func `the System folder of the pipe uses no type of the protocol above it`() {
    report(
      SourceTree.pipe.filter { $0.folders.count > 2 && $0.folders.dropFirst(2) != ["System"] }
        .map { "\($0.path) belongs to no layer." })
    let protocolTypes = Set(
      SourceTree.pipe.filter { $0.layer == nil }.flatMap(\.declaredTypes))
    #expect(protocolTypes.contains("PipeSession"))
    report(
      complaints(
        SourceTree.pipe.filter { $0.layer == "System" }, "declared above System",
        where: protocolTypes.contains))
  }

  @Test func `collections use only types of the layers Schema and Events`() {
    let foreign = Set(
      SourceTree.library.filter { !["Events", "Schema"].contains($0.layer) }
        .flatMap(\.declaredTypes))
    report(
      complaints(
        SourceTree.collections, "not declared in Schema or Events", where: foreign.contains))
  }

  @Test func `the library mentions no subject of a bundled collection`() {
    #expect(SourceTree.collections.count > 10)
    for file in SourceTree.library {
      let bytes = Array(file.text.lowercased().utf8)
      for word in ["habit", "completion"] where bytes.containsBytes(of: word) {
        for (index, line) in file.lines.enumerated() where line.lowercased().contains(word) {
          report(["\(file.path):\(index + 1): \"\(word)\" belongs to EventLogCollections."])
        }
      }
    }
  }

  @Test func `modules for apps don't import EventLogInspection`() {
    let apps = [
      "EventLog", "EventLogAccounts", "EventLogAttachments", "EventLogClouds",
      "EventLogCollections", "EventLogCrashReports", "EventLogImport", "EventLogPipe",
      "EventLogRemotes", "EventLogUndo",
    ]
    for file in SourceTree.files where file.folders.count > 1 && apps.contains(file.folders[1]) {
      report(
        imports(file).filter { $0.module == "EventLogInspection" }
          .map { "\(file.path):\($0.line): EventLogInspection is for tools and tests" })
    }
  }

  // MARK: - Allowed features

  @Test func `unsafe code is only in System and Scanning`() {
    report(
      complaints(
        Self.modules.filter { !["System", "Scanning"].contains($0.layer) },
        "unsafe code belongs to System and Scanning",
        where: {
          $0.contains("Unsafe") || $0.hasPrefix("unsafe") || $0 == "unchecked"
        }))
  }

  @Test func `libc is imported only in System, MemorySearch and the command's Terminal`() {
    let allowed =
      Self.modules.filter { $0.layer == "System" }.map(\.path) + [
        "Sources/EventLog/Scanning/MemorySearch.swift", "Sources/EventLogCommand/Terminal.swift",
      ]
    for file in Self.modules + SourceTree.command where !allowed.contains(file.path) {
      report(
        imports(file).filter { ["Glibc", "Musl", "Darwin"].contains($0.module) }
          .map { "\(file.path):\($0.line): import \($0.module)" })
    }
  }

  @Test
  func `only the library's Store and files for URLs import Foundation`() {
    for file in Self.modules + SourceTree.command
    where file.layer != "Store" && !file.path.hasSuffix("+URL.swift") {
      report(
        imports(file).filter { $0.module.hasPrefix("Foundation") }
          .map { "\(file.path):\($0.line): import \($0.module)" })
    }
  }

  @Test func `the library doesn't print, exit, or read the environment`() {
    report(
      complaints(
        Self.modules, "the library leaves this to the command",
        where: {
          ["print", "debugPrint", "dump", "exit", "abort", "getenv", "CommandLine"].contains($0)
        }))
  }

  /// Before Swift 6.4, the runtime may read a task of `async let` after its caller has freed it,
  /// which sometimes crashes: https://github.com/swiftlang/swift/pull/89883
  @Test func `no code uses async let`() {
    for file in SourceTree.files {
      for (index, line) in file.codeLines.enumerated() where line.contains("async let ") {
        report(["\(file.path):\(index + 1): async let: use a task group, or a Task"])
      }
    }
  }

  @Test func `no test has a time limit`() {
    for file in SourceTree.files {
      for (index, line) in file.codeLines.enumerated() where line.contains(".timeLimit(") {
        report(["\(file.path):\(index + 1): a busy machine would fail it"])
      }
    }
  }

  // MARK: - Form

  @Test func `no line is longer than 100 columns`() {
    for file in SourceTree.files {
      for (index, line) in file.lines.enumerated() where line.utf8.count > 100 && line.count > 100 {
        report(["\(file.path):\(index + 1): \(line.count) columns"])
      }
    }
  }

  @Test func `no function is longer than 70 lines`() {
    for file in SourceTree.files {
      report(
        file.bodies.filter { $0.lineCount > 70 }
          .map { "\(file.path):\($0.firstLine): \($0.lineCount) lines" })
    }
  }

  @Test func `no code is marked as unfinished`() {
    let marks = ["TO" + "DO", "FIX" + "ME"]
    for file in SourceTree.files {
      let bytes = Array(file.text.utf8)
      for mark in marks where bytes.containsBytes(of: mark) {
        for (index, line) in file.lines.enumerated() where line.contains(mark) {
          report(["\(file.path):\(index + 1): \(line.trimmingPrefix { $0 == " " })"])
        }
      }
    }
  }
}
