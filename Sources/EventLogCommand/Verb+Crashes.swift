import EventLog

extension Verb {
  static let crashes = Verb(
    name: "crashes", summary: "show an app's crash reports, grouped by cause",
    usage: ["crashes PLACE… [--symbols FOLDER]", "crashes PLACE… --report ID"],
    options: [
      OptionSpec("symbols", "FOLDER", "the app's programs and libraries, for names of functions"),
      OptionSpec("report", "ID", "print one report in full"),
      OptionSpec("export", "FILE", "write the reports to a file, to send it to the developer"),
      OptionSpec("html", "FILE", "write one page with all groups"),
      .json,
    ],
    operandsMax: nil,
    examples: [
      ("eventlog crashes SampleLogs/crashes.json", "exported reports, grouped by cause"),
      ("eventlog crashes SampleLogs/crashes.json --html crashes.html", "a page for a browser"),
      ("eventlog crashes SampleLogs/crashes.json --export copy.json", "what would be sent"),
    ],
    notes: [
      "PLACE is the folder in which an app records, a journal of reports, an exported file, a"
        + "\nfolder that contains parts of several users, or the part of one user in a cloud, such"
        + "\nas s3://bucket/crashes/crash-4k7m2xq3abcd. Nothing is changed there.",
      "Reports with the same signal and the same innermost five functions are a group. Without"
        + "\n--symbols, a function has another address in each version of the app.",
      "--symbols runs llvm-symbolizer, or atos on Apple's systems, and finds a program by the"
        + "\nidentifier that the linker gave it. A report contains no texts but the ones that"
        + "\nDocs/Guides/CrashReports.md lists.",
    ]
  ) { arguments, console in
    guard !arguments.operands.isEmpty else {
      throw EventLogError.usage("eventlog crashes needs a place with reports.", "crashes")
    }
    return try await CrashesRun(arguments, console).print()
  }
}
