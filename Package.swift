// swift-tools-version: 6.1
import PackageDescription

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  // Requires `any` for existential types.
  .enableUpcomingFeature("ExistentialAny"),
  // Makes an import internal unless it's `public`.
  .enableUpcomingFeature("InternalImportsByDefault"),
  // Makes a member visible only in files that import its module.
  .enableUpcomingFeature("MemberImportVisibility"),
  // Runs a nonisolated async function on its caller's executor.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

// Apps need the privacy manifest on Apple's systems. On others, a resource would link all of
// Foundation, for its Bundle, into every program that uses the library.
#if canImport(Darwin)
  let resources: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
  let unusedResources: [String] = []
#else
  let resources: [Resource] = []
  let unusedResources = ["PrivacyInfo.xcprivacy"]
#endif

let package = Package(
  name: "EventLog",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EventLog", targets: ["EventLog"]),
    // Folders and other object storages as remotes, and the replicator that syncs with remotes.
    .library(name: "EventLogRemotes", targets: ["EventLogRemotes"]),
    // Declarations of profile, settings, habits, food and more, for apps that want them.
    .library(name: "EventLogCollections", targets: ["EventLogCollections"]),
    // Histories of fields, comparisons, and checks of journals, for tools.
    .library(name: "EventLogInspection", targets: ["EventLogInspection"]),
    // Undo of an app's own appends.
    .library(name: "EventLogUndo", targets: ["EventLogUndo"]),
    // Erasure of what a person wants to be forgotten.
    .library(name: "EventLogErasure", targets: ["EventLogErasure"]),
    // Journals on other machines, over ssh or any other pipe.
    .library(name: "EventLogPipe", targets: ["EventLogPipe"]),
    // Guests, sign-in and adoption, for apps whose users have accounts.
    .library(name: "EventLogAccounts", targets: ["EventLogAccounts"]),
    // Photos and other files, kept beside a journal.
    .library(name: "EventLogAttachments", targets: ["EventLogAttachments"]),
    // Imports of property lists, JSON and CSV, as events of their own device.
    .library(name: "EventLogImport", targets: ["EventLogImport"]),
    // Crashes and errors of an app, without anything personal, in a journal of their own.
    .library(name: "EventLogCrashReports", targets: ["EventLogCrashReports"]),
    // Firestore, S3, WebDAV and CloudKit as remotes.
    .library(name: "EventLogClouds", targets: ["EventLogClouds"]),
    // Fixed clocks, faulty disks and temporary folders, for an app's tests.
    .library(name: "EventLogTesting", targets: ["EventLogTesting"]),
    .executable(name: "eventlog", targets: ["EventLogCommand"]),
  ],
  targets: [
    // The instructions for CRC-32C and SHA-256, which Swift can't emit by itself.
    .target(name: "CEventLogChecksum"),
    // Files, locks, time, randomness and threads. Only this module and EventLogPipe call libc.
    .target(
      name: "EventLogSystem", dependencies: ["CEventLogChecksum"], swiftSettings: settings),
    .target(
      name: "EventLog", dependencies: ["CEventLogChecksum", "EventLogSystem"],
      exclude: unusedResources, resources: resources, swiftSettings: settings),
    .target(
      name: "EventLogCollections", dependencies: ["EventLog", "EventLogAttachments"],
      swiftSettings: settings),
    .target(name: "EventLogRemotes", dependencies: ["EventLog"], swiftSettings: settings),
    .target(
      name: "EventLogInspection", dependencies: ["EventLog", "EventLogRemotes"],
      swiftSettings: settings),
    .target(
      name: "EventLogPipe", dependencies: ["EventLog", "EventLogRemotes"], swiftSettings: settings),
    // Undoes appends, and the writes of some devices, by appending events.
    .target(name: "EventLogUndo", dependencies: ["EventLog"], swiftSettings: settings),
    // Plans what an `event.erased` names, and searches for what is left.
    .target(
      name: "EventLogErasure",
      dependencies: ["EventLog", "EventLogAttachments", "EventLogRemotes", "EventLogUndo"],
      swiftSettings: settings),
    .target(
      name: "EventLogAccounts", dependencies: ["EventLog", "EventLogRemotes", "EventLogUndo"],
      swiftSettings: settings),
    .target(
      name: "EventLogImport", dependencies: ["CEventLogSQLite", "EventLog", "EventLogUndo"],
      swiftSettings: settings),
    // Loads SQLite on first use instead of linking it.
    .target(name: "CEventLogSQLite"),
    .target(
      name: "EventLogAttachments", dependencies: ["EventLog", "EventLogRemotes", "EventLogUndo"],
      swiftSettings: settings),
    // Records crashes in a signal handler, which can't be written in Swift.
    .target(name: "CEventLogCrashReports"),
    .target(
      name: "EventLogCrashReports",
      dependencies: ["CEventLogCrashReports", "EventLog", "EventLogErasure", "EventLogRemotes"],
      swiftSettings: settings),
    // Loads libcurl on first use instead of linking it.
    .target(name: "CEventLogTransfer"),
    .target(
      name: "EventLogClouds", dependencies: ["CEventLogTransfer", "EventLog", "EventLogRemotes"],
      swiftSettings: settings),
    .executableTarget(
      name: "EventLogCommand",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogClouds", "EventLogCollections",
        "EventLogCrashReports", "EventLogErasure", "EventLogImport", "EventLogInspection",
        "EventLogPipe", "EventLogAttachments", "EventLogRemotes", "EventLogUndo",
      ],
      swiftSettings: settings),
    .target(
      name: "EventLogTesting",
      dependencies: [
        "EventLog", "EventLogErasure", "EventLogInspection", "EventLogPipe", "EventLogRemotes",
        "EventLogUndo",
      ],
      swiftSettings: settings),
    // A simulation of guests and accounts on several devices, for the tests and the gate.
    .target(
      name: "EventLogAccountSimulation",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogInspection", "EventLogRemotes",
        "EventLogTesting", "EventLogUndo",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "EventLogBenchmarks",
      dependencies: [
        "EventLog", "EventLogAccountSimulation", "EventLogAccounts", "EventLogAttachments",
        "EventLogClouds", "EventLogCollections", "EventLogCrashReports", "EventLogInspection",
        "EventLogRemotes", "EventLogTesting",
      ],
      swiftSettings: settings),
    // Properties of readers of untrusted bytes, for libFuzzer. In a normal build, it replays its
    // corpora.
    .executableTarget(
      name: "EventLogFuzzing",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogAttachments", "EventLogCollections",
        "EventLogCrashReports", "EventLogImport", "EventLogInspection", "EventLogPipe",
        "EventLogRemotes", "EventLogTesting",
      ],
      swiftSettings: settings),
    // Kills the command and makes its system calls fail, on real files.
    .target(name: "CEventLogTorture"),
    .executableTarget(
      name: "EventLogTorture",
      dependencies: [
        "CEventLogTorture", "EventLog", "EventLogAccounts", "EventLogRemotes", "EventLogTesting",
      ],
      exclude: ["Faults"], swiftSettings: settings),
    // Crashes in every way that a report must survive, for the tests.
    .target(name: "CEventLogCrasher", dependencies: ["CEventLogCrashReports"]),
    .executableTarget(
      name: "EventLogCrasher",
      dependencies: ["CEventLogCrasher", "EventLog", "EventLogCrashReports"],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogTests",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogAccountSimulation", "EventLogClouds",
        "EventLogCollections", "EventLogCrashReports", "EventLogErasure", "EventLogImport",
        "EventLogInspection", "EventLogPipe", "EventLogRemotes", "EventLogTesting", "EventLogUndo",
        "EventLogFuzzing", "EventLogAttachments",
      ],
      exclude: ["Corpus", "Golden", "Examples/Recorded", "Fuzzing/Corpora"],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogAttachmentsTests",
      dependencies: [
        "EventLogAttachments", "EventLog", "EventLogCollections", "EventLogErasure",
        "EventLogPipe", "EventLogRemotes", "EventLogTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogCrashReportsTests",
      dependencies: [
        "EventLogCrashReports", "EventLog", "EventLogCrasher", "EventLogFuzzing",
        "EventLogRemotes", "EventLogTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogCloudsTests",
      dependencies: [
        "EventLogClouds", "EventLog", "EventLogCollections", "EventLogErasure", "EventLogRemotes",
        "EventLogTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogImportTests",
      dependencies: [
        "EventLogImport", "EventLog", "EventLogAccounts", "EventLogCollections",
        "EventLogErasure", "EventLogInspection", "EventLogTesting", "EventLogUndo",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogCommandTests",
      dependencies: [
        "EventLogCommand", "EventLog", "EventLogCollections", "EventLogCrashReports",
        "EventLogCrasher", "EventLogInspection", "EventLogPipe", "EventLogRemotes",
        "EventLogAttachments", "EventLogTesting",
      ],
      exclude: ["Versions"], swiftSettings: settings),
  ]
)
