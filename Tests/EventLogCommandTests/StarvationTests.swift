import Testing

/// What a person reads where the system gives the process too little.
@Suite struct StarvationTests {
  private let place: Workplace

  /// `few.sh COUNT` runs verbs with so many open files, and prints their exit codes and errors.
  init() throws {
    place = try Workplace()
    try place.write(
      "few.sh",
      """
      for verb in "append a.jsonl settings.changed y=1" "sync a.jsonl b.jsonl" \
        "sync a.jsonl Shared" "project a.jsonl" "verify a.jsonl"; do
        sh -c "ulimit -n $1; exec eventlog $verb" > out 2> err
        echo $?
        cat err
      done
      """)
    try place.follow(
      "$ eventlog append a.jsonl --user ada settings.changed x=1 > out && cp a.jsonl before")
  }

  @Test(arguments: [4, 5, 6, 7, 8, 12, 16, 20, 24, 26])
  func `too few open files are told in one sentence`(count: Int) throws {
    let answer = """
      2
      Error: The system allows this process too few open files. Nothing was done.
      Hint: Allow it more: ulimit -n 64

      """
    let run = try place.shell("sh few.sh \(count)")
    #expect(run.text == String(repeating: answer, count: 5))
    try place.follow("$ cmp a.jsonl before && ls *.jsonl\na.jsonl")
  }

  @Test(arguments: [48, 64])
  func `as many open files as are asked for are enough`(count: Int) throws {
    let codes = try place.shell("sh few.sh \(count)").text.split(separator: "\n").filter {
      $0.allSatisfy(\.isNumber)
    }
    #expect(codes == ["0", "0", "0", "0", "0"])
  }
}
