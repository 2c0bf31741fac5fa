// Without libFuzzer, the program replays inputs, or writes seed inputs.

#if !FUZZING
  import EventLog
  import Foundation

  @main
  enum Replay {
    static func main() async throws {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.count == 2, arguments[0] == "seeds" {
        return try await Seeds.write(to: arguments[1])
      }
      guard let name = arguments.first, let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")
        print(
          """
          usage: EventLogFuzzing \(names) FILE…
                     checks what the product makes of each file
                 EventLogFuzzing seeds FOLDER
                     writes inputs to begin with, in a folder for each target
          """)
        exit(2)
      }
      var findings = 0
      for path in arguments.dropFirst() {
        let input = try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 24)
        do { try await target.check(input) } catch {
          print("\(path): \(error)")
          findings += 1
        }
      }
      print("\(arguments.count - 1) inputs, \(findings) findings")
      exit(findings == 0 ? 0 : 1)
    }
  }
#endif
