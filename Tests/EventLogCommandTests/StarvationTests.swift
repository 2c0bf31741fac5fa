import Foundation
import Testing

/// Error messages if the system limits the process too much.
@Suite struct StarvationTests {
  private let workplace: Workplace

  /// Writes `few.sh COUNT`, which runs verbs with at most COUNT open files and prints their exit
  /// codes and errors.
  init() throws {
    workplace = try Workplace()
    try workplace.write(
      "few.sh",
      """
      for verb in "append a.jsonl settings.changed y=1" "sync a.jsonl b.jsonl" \
        "sync a.jsonl Shared" "project a.jsonl" "verify a.jsonl"; do
        sh -c "ulimit -n $1; exec eventlog $verb" > out 2> err
        echo $?
        cat err
      done
      """)
    try workplace.follow(
      "$ eventlog append a.jsonl --user ada settings.changed x=1 > out && cp a.jsonl before")
  }

  @Test(arguments: [4, 5, 6, 7, 8, 12, 16, 20, 24, 26])
  func `too few open files are reported in one sentence`(count: Int) throws {
    let answer = """
      2
      Error: The system allows this process too few open files. Nothing was done.
      Hint: Raise the limit: ulimit -n 64

      """
    let run = try workplace.shell("sh few.sh \(count)")
    #expect(run.text == String(repeating: answer, count: 5))
    try workplace.follow("$ cmp a.jsonl before && ls *.jsonl\na.jsonl")
  }

  #if os(Linux)
    @Test(
      .disabled(if: BuiltProduct.isSanitized, "A sanitizer takes terabytes of addresses."),
      arguments: [50_000, 80_000, 120_000, 200_000, 400_000])
    func `too little memory is reported in one sentence`(kilobytes: Int) throws {
      let run = try workplace.shell("ulimit -v \(kilobytes); sh few.sh 64")
      #expect(
        run.text
          == String(
            repeating: """
              2
              Error: The system allows this process too little memory. Nothing was done.
              Hint: Raise the limit: ulimit -v unlimited

              """, count: 5))
      try workplace.follow(
        """
        $ cmp a.jsonl before && ls *.jsonl
        a.jsonl
        $ (ulimit -v \(kilobytes); eventlog status a.jsonl --json)
        ! {"error":{"code":"inputOutput","hint":"Raise the limit: ulimit -v unlimited","message":\
        "The system allows this process too little memory. Nothing was done."}}
        ? 2
        """)
    }

    @Test(.enabled(if: Machine.limitsThreads, "no other user to be here"), arguments: [3, 6, 9])
    func `too few threads are reported in one sentence`(count: Int) throws {
      let run = try workplace.shell(
        Machine.asPlainUser("ulimit -u \(count); $eventlog verify a.jsonl"))
      #expect(run.code == 2)
      #expect(
        run.errorText == """
          Error: The system allows this process too few threads. Nothing was done.
          Hint: Raise the limit: ulimit -u 4096

          """)
    }

    @Test(.disabled(if: BuiltProduct.isSanitized, "A sanitizer takes terabytes of addresses."))
    func `all verbs run if the memory limit covers the needs of the threads`() throws {
      let kilobytes = (ProcessInfo.processInfo.processorCount + 8) * 73_728 + 400_000
      let codes = try workplace.shell("ulimit -v \(kilobytes); sh few.sh 64").text
        .split(separator: "\n").filter { $0.allSatisfy(\.isNumber) }
      #expect(codes == ["0", "0", "0", "0", "0"])
    }
  #endif

  @Test(arguments: [48, 64])
  func `the suggested number of open files is enough`(count: Int) throws {
    let codes = try workplace.shell("sh few.sh \(count)").text.split(separator: "\n").filter {
      $0.allSatisfy(\.isNumber)
    }
    #expect(codes == ["0", "0", "0", "0", "0"])
  }
}
