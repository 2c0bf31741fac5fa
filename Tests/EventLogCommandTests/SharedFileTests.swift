import Testing

/// Shared folders with damaged, incomplete or foreign files.
@Suite struct SharedFileTests {
  private let workplace: Workplace

  /// Makes a folder that two devices share.
  ///
  /// The phone's first file contains two events, which the tablet has seen.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync a.jsonl Shared > out 2> notes && eventlog sync b.jsonl Shared > out 2> notes
      $ eventlog append b.jsonl --device tablet settings.changed theme=dark > id
      $ eventlog sync b.jsonl Shared > out && eventlog sync a.jsonl Shared > out
      """)
  }

  /// The notes that a new device prints, without the random parts of names.
  private func printedNotes(_ arguments: String = "", after change: String) throws -> String {
    let names = "s#$PWD/##; s/-[a-z2-7]{8}//g; s/_[0-9a-f]{16}//g"
    return try workplace.shell(
      "cd Shared && \(change) && cd .. && eventlog sync new.jsonl Shared \(arguments) 2>&1 > out"
        + " | sed -E \"\(names)\"; ls new.jsonl 2> /dev/null"
    ).text
  }

  private static let late = """
    Note: Shared lists phone:1–2 and tablet:1–2, which cannot be received yet. Sync again later. \
    What was lost on the way is restored when a device that has it syncs.

    """

  private static let noJournal = """
    Error: No events were received, so new.jsonl was not created.
    Hint: Run it again when the listed events can be received.

    """

  @Test func `a damaged file in a shared folder is reported with a way to restore its events`()
    throws
  {
    let notes =
      Self.late + """
        Note: "phone_1-2.jsonl" in "Shared" is damaged, so its events cannot be received, nor \
        those that depend on them. Move the file out of there: a device that has the events then \
        writes them there again with its next sync.

        """
    #expect(try printedNotes(after: "sed -i s/Read/Rxad/ phone-*_1-2_*") == notes + Self.noJournal)
    #expect(try printedNotes("--plan", after: "true") == notes)
    try workplace.follow(
      """
      $ mkdir Away && mv Shared/phone-*_1-2_* Away/
      $ eventlog sync a.jsonl Shared 2> notes | sed 's/-[a-z2-7]*:/:/'
      a.jsonl and Shared
        pushed  2 events  phone:1–2
      $ eventlog sync new.jsonl Shared > out 2> notes
      $ eventlog diff new.jsonl a.jsonl
      new.jsonl and a.jsonl contain the same events.
      """)
  }

  @Test func `incomplete and empty files are distinguished from damaged ones`() throws {
    #expect(
      try printedNotes(after: "truncate -s -20 phone-*_1-2_*") == Self.late + """
        Note: "phone_1-2.jsonl" in "Shared" is incomplete, so its events cannot be received yet. \
        It is probably still on the way.

        """ + Self.noJournal)
    #expect(
      try printedNotes(after: "for file in *_1-2_*; do : > $file; done") == Self.late + """
        Note: "phone_1-2.jsonl" and "tablet_1-2.jsonl" in "Shared" are empty, so their events \
        cannot be received yet. A cloud drive may not have downloaded them yet.

        """ + Self.noJournal)
  }

  @Test func `an error about a folder whose files are empty names the files`() throws {
    #expect(
      try printedNotes(after: "rm *frontier*").hasPrefix(
        "Error: \"Shared\" contains 2 files for events, but none can be read that says whose they"
          + " are. Nothing was changed.\nHint: If such a file is late, sync again later. "))
    #expect(
      try printedNotes(after: "for file in *; do : > $file; done").hasPrefix(
        "Error: \"Shared\" contains 2 files for events, but all are empty. Nothing was changed.\n"
          + "Hint: A cloud drive may not have downloaded them yet: "))
  }

  @Test func `a new folder and unrelated files in a folder are noted`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl back --plan > out
      ! Note: back does not exist yet; a sync would create the folder with 4 events.
      $ eventlog sync a.jsonl back > out
      ! Note: back is a new folder; it was created with 4 events.
      $ mkdir docs clean && touch docs/letter.txt docs/photo.png docs/.hidden
      $ mkdir clean/.stfolder && touch clean/desktop.ini
      $ eventlog sync a.jsonl docs --plan > out
      ! Note: docs also contains letter.txt and 1 more. Nothing happens to what is there, but a \
      folder that devices share should contain nothing else.
      $ eventlog sync a.jsonl docs > out
      ! Note: docs also contains letter.txt and 1 more. Nothing happens to what is there, but a \
      folder that devices share should contain nothing else.
      $ eventlog sync a.jsonl docs > out && eventlog sync b.jsonl docs > out
      $ eventlog sync a.jsonl clean > out
      """)
  }

  @Test func `a file with any name is read as a journal if it exists`() throws {
    try workplace.follow(
      """
      $ mkdir stick && cp a.jsonl stick/ADA.JSONL && cp a.jsonl copy.bak && echo no > letter.txt
      $ eventlog append a.jsonl settings.changed theme=dark > id
      $ eventlog sync a.jsonl stick/ADA.JSONL | tail -n 1 | cut -c 1-18
        pushed  1 event 
      $ eventlog sync a.jsonl | tail -n 1 | sed 's#/.*/#…#'
      a.jsonl and …ADA.JSONL contain the same events.
      $ eventlog repair a.jsonl --from copy.bak
      a.jsonl: nothing is missing.
      $ eventlog sync a.jsonl letter.txt 2>&1 | sed 's#"/.*/#"#'
      Error: "letter.txt" is not a journal: it contains no events. It was not changed.
      Hint: Check the path.
      $ cat letter.txt
      no
      """)
  }

  @Test func `no folder is created under a name with a file's extension`() throws {
    for name in ["stick/ADA.JSONL", "copy.bak", "back.json", "a.b/c.7z"] {
      for more in [[], ["--plan"], ["--push"]] {
        let run = try workplace.eventlog(["sync", "a.jsonl", name] + more)
        #expect(run.code == 2)
        #expect(
          run.errorText == """
            Error: There is nothing at "\(name)", and no folder is created under the name of a \
            file. Nothing was changed.
            Hint: Check the path. The name of a new journal ends in .jsonl, and that of a new \
            folder may end in /: \(name)/

            """)
      }
    }
    #expect(try workplace.shell("ls").text.contains("back.json") == false)
    for name in ["back.json/", ".hidden", "v1.2", "Shared.folder", "two. words"] {
      #expect(try workplace.eventlog("sync", "a.jsonl", name).code == 0, "\(name)")
    }
  }
}
