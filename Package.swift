// swift-tools-version: 6.1
import PackageDescription

/// Applied to every Swift target.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  // `any` is written out wherever a call goes through an existential.
  .enableUpcomingFeature("ExistentialAny"),
  // An import is an implementation detail unless it says `public`.
  .enableUpcomingFeature("InternalImportsByDefault"),
  // A member is visible only where its own module is imported.
  .enableUpcomingFeature("MemberImportVisibility"),
  // A nonisolated async function runs where its caller runs.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

// Apps need the privacy manifest on Apple's systems. Elsewhere, a resource would only link all of
// Foundation, for its Bundle, into everything that uses the library.
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
    // Profile, settings, habits, food and more, declared: for apps that want these.
    .library(name: "EventLogCollections", targets: ["EventLogCollections"]),
    // Histories of fields, comparisons, and checks of journals: for those who write tools.
    .library(name: "EventLogInspection", targets: ["EventLogInspection"]),
    // Journals on other machines, over ssh or any other pipe.
    .library(name: "EventLogPipe", targets: ["EventLogPipe"]),
    // Guests, sign-in, and adoption: for apps whose users have accounts.
    .library(name: "EventLogAccounts", targets: ["EventLogAccounts"]),
    // Property lists, JSON and CSV of other apps, as events of a device of their own.
    .library(name: "EventLogImport", targets: ["EventLogImport"]),
    // Firestore, S3, WebDAV and CloudKit as places for a user's events.
    .library(name: "EventLogClouds", targets: ["EventLogClouds"]),
    // Fixed clocks, faulty disks and temporary folders, for the tests of an app.
    .library(name: "EventLogTesting", targets: ["EventLogTesting"]),
    .executable(name: "eventlog", targets: ["EventLogCommand"]),
  ],
  targets: [
    // The processor's CRC-32C instruction, which Swift cannot name by itself.
    .target(name: "CEventLogChecksum"),
    .target(
      name: "EventLog", dependencies: ["CEventLogChecksum"], exclude: unusedResources,
      resources: resources, swiftSettings: settings),
    .target(
      name: "EventLogCollections", dependencies: ["EventLog"], swiftSettings: settings),
    .target(name: "EventLogInspection", dependencies: ["EventLog"], swiftSettings: settings),
    .target(name: "EventLogPipe", dependencies: ["EventLog"], swiftSettings: settings),
    .target(name: "EventLogAccounts", dependencies: ["EventLog"], swiftSettings: settings),
    .target(name: "EventLogImport", dependencies: ["EventLog"], swiftSettings: settings),
    // libcurl, which is opened at its first use and not linked.
    .target(name: "CEventLogTransfer"),
    .target(
      name: "EventLogClouds", dependencies: ["CEventLogTransfer", "EventLog"],
      swiftSettings: settings),
    .executableTarget(
      name: "EventLogCommand",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogClouds", "EventLogCollections", "EventLogImport",
        "EventLogInspection", "EventLogPipe",
      ],
      swiftSettings: settings),
    .target(
      name: "EventLogTesting", dependencies: ["EventLog", "EventLogInspection", "EventLogPipe"],
      swiftSettings: settings),
    // Guests and accounts on devices that do anything: for the tests and the gate.
    .target(
      name: "EventLogAccountSimulation",
      dependencies: ["EventLog", "EventLogAccounts", "EventLogInspection", "EventLogTesting"],
      swiftSettings: settings),
    .executableTarget(
      name: "EventLogBenchmarks",
      dependencies: [
        "EventLog", "EventLogAccountSimulation", "EventLogAccounts", "EventLogClouds",
        "EventLogCollections", "EventLogInspection", "EventLogTesting",
      ],
      swiftSettings: settings),
    // What foreign bytes may never do, for libFuzzer; built plainly, it replays its corpora.
    .executableTarget(
      name: "EventLogFuzzing",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogCollections", "EventLogImport",
        "EventLogInspection", "EventLogPipe", "EventLogTesting",
      ],
      swiftSettings: settings),
    // Kills the command, and fails its system calls, on real files.
    .target(name: "CEventLogTorture"),
    .executableTarget(
      name: "EventLogTorture",
      dependencies: ["CEventLogTorture", "EventLog", "EventLogAccounts", "EventLogTesting"],
      exclude: ["Faults"], swiftSettings: settings),
    .testTarget(
      name: "EventLogTests",
      dependencies: [
        "EventLog", "EventLogAccounts", "EventLogAccountSimulation", "EventLogClouds",
        "EventLogCollections", "EventLogImport", "EventLogInspection", "EventLogPipe",
        "EventLogTesting", "EventLogFuzzing",
      ],
      exclude: ["Corpus", "Golden", "Examples/Recorded", "Fuzzing/Corpora"],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogCloudsTests",
      dependencies: ["EventLogClouds", "EventLog", "EventLogCollections", "EventLogTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogImportTests",
      dependencies: [
        "EventLogImport", "EventLog", "EventLogCollections", "EventLogInspection",
        "EventLogTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventLogCommandTests",
      dependencies: [
        "EventLogCommand", "EventLog", "EventLogCollections", "EventLogInspection", "EventLogPipe",
        "EventLogTesting",
      ],
      swiftSettings: settings),
  ]
)
