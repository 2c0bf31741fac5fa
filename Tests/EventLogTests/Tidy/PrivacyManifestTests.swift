import Foundation
import Testing

/// Apple requires apps and libraries to declare reasons for the use of certain calls.
@Suite struct PrivacyManifestTests {
  /// The calls for which Apple requires a reason, by category, as of 2026.
  ///
  /// A call can belong to several categories.
  private static let categories: [String: Set<String>] = [
    "FileTimestamp": [
      "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey",
      "contentModificationDate", "creationDateKey", "getattrlist", "getattrlistbulk",
      "fgetattrlist", "getattrlistat", "stat", "fstat", "fstatat", "lstat",
    ],
    "SystemBootTime": ["systemUptime", "mach_absolute_time"],
    "DiskSpace": [
      "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
      "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey",
      "volumeAvailableCapacity", "volumeAvailableCapacityForImportantUsage",
      "volumeAvailableCapacityForOpportunisticUsage", "volumeTotalCapacity", "systemFreeSize",
      "systemSize", "statfs", "statvfs", "fstatfs", "fstatvfs", "getattrlist", "fgetattrlist",
      "getattrlistat",
    ],
    "ActiveKeyboards": ["activeInputModes"],
    "UserDefaults": ["UserDefaults", "NSUserDefaults", "AppStorage", "CFPreferencesCopyAppValue"],
  ]

  /// The library's reasons for each category: files in the app's containers (C617.1), and in
  /// folders that the user has chosen (3B52.1).
  private static let reasons = ["FileTimestamp": ["3B52.1", "C617.1"]]

  /// The modules that apps link.
  private static let modules = [
    "EventLog", "EventLogAccounts", "EventLogAttachments", "EventLogClouds", "EventLogCollections",
    "EventLogCrashReports", "EventLogImport", "EventLogRemotes", "EventLogSystem", "EventLogUndo",
  ]

  /// The calls of a module that require a reason, with their files.
  private static func calls(of module: String) -> [(name: String, path: String)] {
    let names = categories.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    return SourceTree.files.filter { $0.folders.starts(with: ["Sources", module]) }.flatMap {
      file in
      AppleCode.words(of: file).filter(names.contains).map { ($0, file.path) }
    }
  }

  private static func manifest() throws -> [String: Any] {
    let url = SourceTree.top.appendingPathComponent("Sources/EventLog/PrivacyInfo.xcprivacy")
    let list = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: url), options: [], format: nil)
    return try #require(list as? [String: Any])
  }

  @Test func `the manifest has a reason for exactly the categories of calls in use`() throws {
    let used = Set(Self.calls(of: "EventLogSystem").map(\.name))
    #expect(!used.isEmpty)
    let categories = Self.categories.filter { !$0.value.isDisjoint(with: used) }.keys
    let types = try #require(
      try Self.manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let declared = types.map { type in
      (type["NSPrivacyAccessedAPIType"] as? String ?? "")
        .replacing("NSPrivacyAccessedAPICategory", with: "")
    }
    #expect(declared.sorted() == categories.sorted())
    for (type, category) in zip(types, declared) {
      let reasons = type["NSPrivacyAccessedAPITypeReasons"] as? [String]
      #expect(reasons?.sorted() == Self.reasons[category], "\(category)")
      #expect(type.count == 2)
    }
  }

  @Test func `the manifest declares no tracking and no collected data`() throws {
    let manifest = try Self.manifest()
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
    #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
    #expect(manifest.count == 4)
  }

  @Test(arguments: modules)
  func `calls that require a reason are only in the table of system calls`(module: String) {
    let outside = Self.calls(of: module).filter {
      $0.path != "Sources/EventLogSystem/Syscalls.swift"
    }
    #expect(outside.map { "\($0.path): \($0.name)" } == [])
  }

  @Test func `code for other systems isn't scanned`() {
    let file = SwiftSource(
      path: "Sources/A/B.swift",
      text: """
        one()
        #if os(macOS)
          two()
        #elseif canImport(Darwin)
          three()
          #if !canImport(Darwin) || os(Linux)
            four()
          #else
            five()
          #endif
        #else
          six()
        #endif
        // seven()
        #if canImport(Darwin) && !os(macOS)
          eight()
        #endif
        """)
    #expect(AppleCode.words(of: file) == ["one", "three", "five", "eight"])
  }
}

/// The code of a file as compiled for iOS, which requires a manifest.
private enum AppleCode {
  /// Whether a branch is compiled, and whether one of the same `#if` already is.
  private struct Branch {
    var isCompiled: Bool
    var isDecided: Bool
  }

  static func words(of file: SwiftSource) -> [String] {
    var open: [Branch] = []
    var text = ""
    for line in file.codeLines {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first {
      case "#if":
        let holds = open.allSatisfy(\.isCompiled) && self.holds(words[1])
        open.append(Branch(isCompiled: holds, isDecided: holds))
      case "#elseif", "#else":
        guard let branch = open.popLast() else { continue }
        let isOpen = !branch.isDecided && open.allSatisfy(\.isCompiled)
        let holds = isOpen && (words.count < 2 || self.holds(words[1]))
        open.append(Branch(isCompiled: holds, isDecided: branch.isDecided || holds))
      case "#endif": _ = open.popLast()
      default: if open.allSatisfy(\.isCompiled) { text += line + "\n" }
      }
    }
    return SwiftSource(path: file.path, text: text).words.map(\.word)
  }

  /// Whether a condition holds on iOS.
  ///
  /// A flag that a build can set counts as set.
  private static func holds(_ condition: String) -> Bool {
    condition.split(separator: "||").contains { part in
      part.split(separator: "&&").allSatisfy { term in
        let term = term.trimmingCharacters(in: .whitespaces)
        if term.hasPrefix("!") { return !holds(String(term.dropFirst())) }
        let others = ["os(macOS)", "os(Linux)", "os(Windows)", "Glibc)", "Musl)", "Android"]
        return !others.contains(where: term.contains)
      }
    }
  }
}
