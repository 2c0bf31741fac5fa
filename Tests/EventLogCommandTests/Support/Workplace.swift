import EventLogTesting
import Foundation
import Testing

/// A temporary folder in which commands run, with `eventlog` in the search path.
final class Workplace: Sendable {
  /// The result of a command.
  struct Run: Sendable {
    var output: [UInt8]
    var errors: [UInt8]
    var code: Int32
    /// Whether a signal ended it, as after a trap.
    var isSignalled: Bool

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  private let tools: TemporaryFolder
  private let temporaryFolder: TemporaryFolder
  /// The path of the folder.
  let path: String

  init() throws {
    tools = try TemporaryFolder()
    temporaryFolder = try TemporaryFolder()
    path = temporaryFolder.path
    let product = try #require(BuiltProduct.path, "The product eventlog was not built.")
    let link = tools.file("eventlog")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: product)
    // `swift run … eventlog WORDS` in a transcript runs the built command.
    for (name, script) in ["swift": Self.swiftScript, "clone": Self.cloneScript] {
      try Data(script.utf8).write(to: URL(fileURLWithPath: tools.file(name)))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: tools.file(name))
    }
  }

  private static let swiftScript = """
    #!/bin/sh
    while [ $# -gt 0 ]; do
      word=$1
      shift
      if [ "$word" = eventlog ]; then exec eventlog "$@"; fi
    done
    echo "Only swift run eventlog can be run in a transcript." >&2
    exit 127

    """

  /// `clone FROM TO` copies a journal undetectably, like a cloned disk: `device.json` has the inode
  /// and the birth time of the copy.
  private static let cloneScript = #"""
    #!/bin/sh
    cp -a "$1.jsonl" "$2.jsonl" && cp -a "$1.eventlog" "$2.eventlog" || exit
    inode=$(stat -c %i "$2.jsonl")
    birth=$(stat -c %.9W "$2.jsonl" | tr -d .)
    sed -e "s/\"inode\":\"[0-9]*\"/\"inode\":\"$inode\"/" \
      -e "s/\"birth\":\"[0-9]*\"/\"birth\":\"$birth\"/" \
      "$1.eventlog/device.json" > "$2.eventlog/device.json"

    """#

  func file(_ name: String) -> String { temporaryFolder.file(name) }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  /// Copies a folder of the repository into this one.
  func copy(folder name: String) throws {
    try FileManager.default.copyItem(
      atPath: BuiltProduct.repository.appendingPathComponent(name).path, toPath: file(name))
  }

  // MARK: - Running

  /// Runs `eventlog` with these arguments, without a shell.
  func eventlog(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> Run {
    let product = try #require(BuiltProduct.path, "The product eventlog was not built.")
    return try run(
      product, arguments, input: input, environment: environment, folder: path, merging: false)
  }

  func eventlog(_ arguments: String..., input: String = "") throws -> Run {
    try eventlog(arguments, input: Array(input.utf8))
  }

  /// Runs a shell script.
  ///
  /// - Parameter merging: Whether errors are written to the output, as on a terminal.
  func shell(
    _ line: String, in folder: String = "", after code: Int32 = 0, merging: Bool = false,
    environment: [String: String] = [:]
  ) throws -> Run {
    // `$?` is the exit code of the previous command.
    let script = code == 0 ? line : "(exit \(code))\n\(line)"
    return try run(
      "/bin/sh", ["-c", script], input: [], environment: environment,
      folder: folder.isEmpty ? path : file(folder), merging: merging)
  }

  private func run(
    _ program: String, _ arguments: [String], input: [UInt8], environment: [String: String],
    folder: String, merging: Bool
  ) throws -> Run {
    // Files need no reader while the command writes, unlike pipes.
    let streams = try TemporaryFolder()
    for (name, bytes) in [("in", input), ("out", []), ("err", [])] {
      try Data(bytes).write(to: URL(fileURLWithPath: streams.file(name)))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = [
      "PATH": "\(tools.path):/usr/bin:/bin", "HOME": path, "TZ": "UTC", "LC_ALL": "C.UTF-8",
    ].merging(BuiltProduct.sanitizerOptions) { $1 }.merging(environment) { $1 }
    let standardInput = try #require(FileHandle(forReadingAtPath: streams.file("in")))
    let output = try #require(FileHandle(forWritingAtPath: streams.file("out")))
    let errors = try #require(FileHandle(forWritingAtPath: streams.file("err")))
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = merging ? output : errors
    try process.run()
    let end = process.reap()
    for handle in [standardInput, output, errors] { try handle.close() }
    return Run(
      output: Array(try Data(contentsOf: URL(fileURLWithPath: streams.file("out")))),
      errors: Array(try Data(contentsOf: URL(fileURLWithPath: streams.file("err")))),
      code: end.code, isSignalled: end.isSignalled)
  }
}
