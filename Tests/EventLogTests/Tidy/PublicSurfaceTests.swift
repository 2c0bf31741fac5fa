import Foundation
import Testing

/// A page lists the public declarations of all modules, so that a review shows each change.
@Suite struct PublicSurfaceTests {
  private static let modules = [
    "EventLog", "EventLogAccounts", "EventLogAttachments", "EventLogClouds", "EventLogCollections",
    "EventLogCrashReports", "EventLogErasure", "EventLogImport", "EventLogInspection",
    "EventLogPipe", "EventLogRemotes", "EventLogSystem", "EventLogTesting", "EventLogUndo",
  ]

  /// Read once for all tests.
  private static let surfaces: [String: PublicSurface] = {
    var files: [String: [SwiftSource]] = [:]
    for file in SourceTree.files where file.folders.first == "Sources" && file.folders.count > 1 {
      files[file.folders[1], default: []].append(file)
    }
    return files.filter { modules.contains($0.key) }.mapValues(PublicSurface.init)
  }()

  private static func surface(_ module: String) -> PublicSurface { surfaces[module]! }

  private static var page: String {
    """
    # Public declarations

    The public declarations of each module. `EVENTLOG_WRITE_PUBLIC=1 swift test --filter
    PublicSurfaceTests` updates this page.


    """ + modules.map { surface($0).markdown($0) }.joined(separator: "\n")
  }

  @Test func `the page lists exactly the public declarations`() throws {
    let file = SourceTree.top.appendingPathComponent("Docs/Internals/Public.md")
    if ProcessInfo.processInfo.environment["EVENTLOG_WRITE_PUBLIC"] != nil {
      try Self.page.write(to: file, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let changes = Self.page.components(separatedBy: "\n").difference(from: written)
    #expect(changes.isEmpty, "EVENTLOG_WRITE_PUBLIC=1 updates it; look at the change.")
  }

  @Test func `the library has at most 83 public types`() {
    #expect(Self.surface("EventLog").typeCount <= 83)
  }

  @Test(arguments: modules)
  func `every public declaration has a documentation comment`(module: String) {
    let undocumented = Self.surface(module).undocumented.map { "\($0.path):\($0.line)" }
    #expect(undocumented == [], "\(undocumented.joined(separator: "\n"))")
  }

  @Test func `public declarations are found in types, extensions and protocols`() {
    let source = SwiftSource(
      path: "Sources/A/B.swift",
      text: """
        /// A type.
        @frozen public struct Box<Value: Sendable>: Sendable {
          /// Its value.
          public internal(set) var value: Value
          let hidden = 0
          public init(_ value: Value, named name: String = "public func no()") {}
          /// Finds.
          @discardableResult
          public func find<T: Comparable>(
            _ one: T, where isIn: (T, [Int]) -> Bool = { _, _ in true }, by path: KeyPath<T, Int>
          ) -> Int { 0 }
          /// One.
          public enum Kind {
            /// A case.
            case one(Int), two
          }
        }
        extension Box { func inner() {} }
        extension Box.Kind {
          /// All.
          public static var all: [Int] { [] }
        }
        /// A rule.
        public protocol Rule {
          /// Its name.
          var name: String { get }
        }
        struct Hidden { public var shown = 1 }
        """)
    let surface = PublicSurface([source])
    #expect(surface.typeCount == 3)
    #expect(surface.types["Box"]?.members == ["find(_:where:by:)", "init(_:named:)", "value"])
    #expect(surface.types["Box.Kind"]?.members == ["all", "one(Int), two"])
    #expect(surface.types["Rule"]?.members == ["name"])
    #expect(surface.undocumented.map(\.line).first == 6)
  }
}
