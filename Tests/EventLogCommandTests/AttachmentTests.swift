import Testing

/// Photos and files at the terminal.
@Suite struct AttachmentTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  @Test func `an attached file reaches another device through a folder`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append a.jsonl --user ada --device phone recipe.created soup image=@soup.jpg > id
      $ cat a.attachments/*
      a photo
      $ eventlog attachments a.jsonl
      field              bytes  type        content  SHA-256       name
      recipe/soup#image  7      image/jpeg  here     d4e24d749a4f  soup.jpg
      1 attachment, 7 bytes here.
      $ eventlog sync a.jsonl Shared 2>&1 | tail -1
      a.jsonl and Shared: sent 1 attachment.
      $ ls Shared/attachments
      d4e24d749a4fe2f161af2de913c0402b04e3ae287dafd0f9dbfa4a5c56c69285-000000000000
      $ eventlog sync b.jsonl Shared --attachments none > out 2>&1
      $ eventlog attachments b.jsonl --check | tail -1
      1 attachment, 0 bytes here, 1 missing.
      $ eventlog attachments b.jsonl --fetch | tail -1
      1 attachment, 7 bytes here.
      $ eventlog sync c.jsonl Shared 2>&1 | tail -1
      c.jsonl and Shared: fetched 1 attachment.
      $ cmp c.attachments/* soup.jpg && eventlog verify c.jsonl > out
      $ eventlog project c.jsonl recipes
      Recipes
        key   image
        soup  soup.jpg (7 bytes)
      …
      """)
  }

  @Test func `a link to a journal uses the folders of the journal`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg; mkdir links
      $ eventlog append a.jsonl --user ada --device phone recipe.created soup title=Soup > id
      $ ln -s a.jsonl b.jsonl; ln -s ../b.jsonl links/c.jsonl
      $ eventlog append links/c.jsonl recipe.edited soup image=@soup.jpg > id; ls links
      c.jsonl
      $ ls -d a* b*
      a.attachments
      a.eventlog
      a.jsonl
      b.jsonl
      $ eventlog sync a.jsonl Shared 2>&1 | tail -1
      a.jsonl and Shared: sent 1 attachment.
      $ eventlog sync links/c.jsonl Shared 2>&1 | tail -1
      links/c.jsonl and Shared contain the same events.
      """)
  }

  @Test func `journals with similar names share no folder`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append ada.jsonl --user ada recipe.created soup image=@soup.jpg > id
      $ eventlog append ada --user bob recipe.created cake image=@soup.jpg > id 2> notes
      $ ls -d ada*; cat notes
      ada
      ada..attachments
      ada..eventlog
      ada.attachments
      ada.eventlog
      ada.jsonl
      """)
  }

  @Test func `a file that can't be attached is refused before anything is appended`() throws {
    try workplace.follow(
      """
      $ mkdir folder && ln -s folder link && printf a > a.txt
      $ eventlog append a.jsonl --user ada recipe.created soup title=Soup > id
      $ eventlog append a.jsonl recipe.edited soup image=@folder
      ! Error: "folder" is a folder. Nothing was attached.
      ! Hint: Attach a file, such as a zip archive.
      ? 2
      $ eventlog append a.jsonl recipe.edited soup image=@link
      ! Error: "link" is a link. Nothing was attached.
      ! Hint: Attach the file that it leads to.
      ? 2
      $ eventlog append a.jsonl recipe.edited soup image=@none
      ! Error: Could not read "none": No such file or directory. Nothing was attached.
      ! Hint: Check the path.
      ? 2
      $ eventlog append a.jsonl recipe.edited soup image=a.txt
      ! Error: recipe.edited was refused: "image" must be an object with sha256, bytes and type, \
      and optionally name. Nothing was written.
      ! Hint: Name a file: FIELD=@PATH.
      ? 2
      $ eventlog attachments a.jsonl
      a.jsonl names no attachments.
      $ test -e a.attachments
      ? 1
      """)
  }

  @Test func `a damaged file is reported, and fetched again`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append a.jsonl --user ada recipe.created soup image=@soup.jpg > id
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ for file in a.attachments/*; do printf 'b photo' > $file; done
      $ eventlog verify a.jsonl > out 2>&1
      ? 1
      $ eventlog attachments a.jsonl --check | tail -1
      1 attachment, 7 bytes here, 1 damaged.
      $ eventlog attachments a.jsonl --check --fetch | tail -1
      1 attachment, 7 bytes here.
      $ cmp a.attachments/* soup.jpg && eventlog verify a.jsonl > out
      """)
  }

  @Test func `a replaced file is removed from the place and from here`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append a.jsonl --user ada --device phone recipe.created soup image=@soup.jpg > id
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ eventlog attachments a.jsonl --release
      There is nothing to remove.
      $ printf 'a better photo' > new.jpg
      $ eventlog append a.jsonl recipe.edited soup image=@new.jpg > id
      $ eventlog attachments a.jsonl Shared --release --plan
      1 attachment would be released: nothing names it any more.
      1 attachment would be removed at Shared.
      ! Note: 1 file of the last day stays here for now.
      $ ls Shared/attachments | wc -l
      1
      $ eventlog attachments a.jsonl Shared --release
      1 attachment released: nothing names it any more.
      1 attachment removed at Shared.
      ! Note: 1 file of the last day stays here for now.
      $ ls Shared/attachments | wc -l
      0
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ touch -d '2 days ago' a.attachments/*
      $ eventlog attachments a.jsonl Shared --release
      1 file removed here, 7 bytes.
      $ cat a.attachments/*; echo
      a better photo
      $ eventlog sync b.jsonl Shared > out 2>&1
      $ eventlog verify b.jsonl > out && cmp b.attachments/* new.jpg
      """)
  }

  @Test func `a limit removes the oldest files here once a folder has proved to have them`() throws
  {
    try workplace.follow(
      """
      $ for name in 1 2 3; do printf "photo $name" > $name.jpg; done
      $ for name in 1 2 3; do eventlog append a.jsonl --user ada recipe.created $name \
      image=@$name.jpg > id; done
      $ eventlog sync a.jsonl Shared --attachments 14 2> notes | tail -1
      a.jsonl and Shared: sent 3 attachments, removed 1 attachment here.
      $ eventlog attachments a.jsonl | tail -1
      3 attachments, 14 bytes here, 1 missing.
      $ eventlog sync a.jsonl Shared --attachments 14 | tail -1
      a.jsonl and Shared contain the same events.
      $ printf 'wrong 2' > $(ls Shared/attachments/$(sha256sum < 2.jpg | cut -c1-64)*)
      $ eventlog sync a.jsonl Shared --attachments 0 > out 2> notes
      ? 1
      $ tail -1 out; grep -c 'is damaged, so it stays here although the limit is reached' notes
      a.jsonl and Shared: removed 1 attachment here.
      1
      $ eventlog attachments a.jsonl Shared --restore 2> notes | tail -1
      3 attachments, 7 bytes here, 2 missing.
      $ eventlog sync a.jsonl Shared --attachments 0 | tail -1
      a.jsonl and Shared: removed 1 attachment here.
      $ eventlog sync a.jsonl Shared | tail -1
      a.jsonl and Shared: fetched 3 attachments.
      $ for n in 1 2 3; do cmp $n.jpg a.attachments/$(sha256sum $n.jpg | cut -c1-64); done
      """)
  }

  @Test func `a status shows where the files of an entity are`() throws {
    try workplace.follow(
      """
      $ for name in 1 2; do printf "photo $name" > $name.jpg; done
      $ eventlog append a.jsonl --user ada --device a recipe.created soup image=@1.jpg > id
      $ eventlog status a.jsonl --where soup | tail -3 | sed 's/  */ /g'
      No other place is known: no sync from here was noted.
      1 attachment, 7 bytes
       a.jsonl has 1 attachment, 7 bytes
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ eventlog append a.jsonl --device a recipe.edited soup image=@2.jpg > id
      $ eventlog sync b.jsonl Shared --attachments none > out 2>&1
      $ eventlog status a.jsonl --where soup | tail -3 | sed "s#$PWD/##; s/  */ /g"
      1 attachment, 7 bytes
       a.jsonl has 1 attachment, 7 bytes
       Shared had 0 attachments, 0 bytes at the last transfer from here
      $ eventlog status a.jsonl --where $(cut -d' ' -f1 id) | tail -3 | head -1
      1 attachment, 7 bytes
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ rm a.attachments/*
      $ eventlog status a.jsonl --where soup | tail -3 | sed "s#$PWD/##; s/  */ /g"
      1 attachment, 7 bytes
       a.jsonl has 0 attachments, 0 bytes
       Shared had 1 attachment, 7 bytes at the last transfer from here
      $ eventlog status b.jsonl --where soup | tail -4 | sed "s#$PWD/##; s/  */ /g"
      1 attachment, 7 bytes
       b.jsonl has 0 attachments, 0 bytes
       Shared isn't known to have any: no transfer from here was noted
       nowhere 1 attachment, 7 bytes
      $ eventlog status b.jsonl --where soup --json | grep -o '"nowhere":{[^}]*}'
      "nowhere":{"bytes":7,"count":1}
      $ eventlog status b.jsonl --where soup --json | grep -o '"bytes":null,"count":null'
      "bytes":null,"count":null
      """)
  }

  @Test func `a status counts a content with two names once`() throws {
    try workplace.follow(
      """
      $ printf 'photo 1' > 1.jpg; cp 1.jpg 2.jpg; cp 1.jpg 3.jpg
      $ eventlog append a.jsonl --user ada --device a recipe.created soup image=@1.jpg > id
      $ eventlog sync a.jsonl Shared > out 2>&1; eventlog sync b.jsonl Shared > out 2>&1
      $ eventlog append a.jsonl recipe.edited soup image=@3.jpg > id
      $ eventlog append b.jsonl --device b recipe.edited soup image=@2.jpg > id
      $ eventlog sync a.jsonl b.jsonl > out 2>&1; eventlog attachments a.jsonl | wc -l
      4
      $ eventlog status a.jsonl --where soup | grep -o '[0-9]* attachments*, .* bytes' | sort -u
      1 attachment, 7 bytes
      """)
  }

  @Test func `a status of an event counts what this event attached, not its rival`() throws {
    try workplace.follow(
      """
      $ printf 'old' > 0.jpg; printf 'photo 1' > 1.jpg; printf 'another 2' > 2.jpg
      $ eventlog append a.jsonl --user ada --device a recipe.created soup image=@0.jpg > old
      $ eventlog sync a.jsonl Shared > out 2>&1; eventlog sync b.jsonl Shared > out 2>&1
      $ eventlog append a.jsonl recipe.edited soup image=@1.jpg > ours
      $ eventlog append b.jsonl --device b recipe.edited soup image=@2.jpg > theirs
      $ eventlog sync a.jsonl b.jsonl > out 2>&1; true
      $ eventlog status a.jsonl --where $(cut -d' ' -f1 ours) | grep '^[0-9]* attachment'
      1 attachment, 7 bytes
      $ eventlog status a.jsonl --where $(cut -d' ' -f1 theirs) | grep '^[0-9]* attachment'
      1 attachment, 9 bytes
      $ eventlog status a.jsonl --where $(cut -d' ' -f1 old) | grep -c attachment
      0
      ? 1
      $ eventlog status a.jsonl --where soup | grep '^[0-9]* attachment'
      2 attachments, 16 bytes
      """)
  }

  @Test func `a repair fetches as much as its option says, and names what is missing`() throws {
    try workplace.follow(
      """
      $ for name in 1 2 3; do printf "photo $name" > $name.jpg; done
      $ for name in 1 2 3; do eventlog append a.jsonl --user ada recipe.created $name \
      image=@$name.jpg > id; done
      $ rm a.attachments/$(sha256sum 1.jpg | cut -c1-64)
      $ eventlog repair a.jsonl
      ! Warning: a.jsonl: 1 attachment missing. A device that has the content sends it with a sync.
      ? 1
      $ cp 1.jpg a.attachments/$(sha256sum 1.jpg | cut -c1-64)
      $ eventlog repair a.jsonl
      a.jsonl: nothing is missing.
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ rm a.attachments/*
      $ eventlog repair a.jsonl --attachments none
      a.jsonl: --attachments leaves out 3 attachments.
      $ ls a.attachments | wc -l | tr -d ' '
      0
      $ eventlog repair a.jsonl --attachments 14
      a.jsonl: fetched 2 attachments; --attachments leaves out 1 attachment.
      $ cmp 3.jpg a.attachments/$(sha256sum 3.jpg | cut -c1-64)
      $ eventlog repair a.jsonl --attachments some
      ! Error: --attachments takes all, none, or a number of bytes; "some" is none of them.
      ! Hint: eventlog help repair shows its usage.
      ? 2
      $ eventlog repair a.jsonl
      a.jsonl: fetched 1 attachment.
      """)
  }

  @Test func `a damaged file that nothing names is no damage`() throws {
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append a.jsonl --user ada --device phone recipe.created soup image=@soup.jpg > id
      $ printf x > a.attachments/$(printf 'abcd%.0s' $(seq 16))
      $ eventlog verify a.jsonl > out 2> notes; echo $?; cut -d : -f 2- notes
      0
       damaged: its bytes don't have the SHA-256 in its name. No event names it.
      """)
  }

  @Test func `attachments of undeclared collections are not left out in silence`() throws {
    try workplace.write(
      "s.json",
      #"{"collections":[{"kind":"plant","fields":{"name":"text","photo":"attachment"}}]}"#)
    try workplace.follow(
      """
      $ echo leaf > leaf.txt; export EVENTLOG_SCHEMA=s.json
      > eventlog append c.jsonl --user ada --device phone plant.created p1 photo=@leaf.txt > out
      $ mkdir place; eventlog sync c.jsonl place | tail -n +3
      ! Note: c.jsonl also contains collections that eventlog does not know (plant). Attachments \
      that only they name were not synced; --schema FILE declares them.
      $ eventlog attachments c.jsonl --check > out 2> err; echo $?; tail -2 err
      2
      Error: c.jsonl contains collections that eventlog does not know (plant), so their \
      attachments cannot be checked. All others are here.
      Hint: Pass --schema FILE, which declares them.
      $ eventlog sync c.jsonl place --schema s.json | tail -1
      c.jsonl and place: sent 1 attachment.
      $ eventlog attachments c.jsonl --check --schema s.json | tail -1
      1 attachment, 5 bytes here.
      """)
  }

  @Test func `options of attachments that contradict each other are refused`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada recipe.created soup title=Soup > id
      $ eventlog attachments a.jsonl --plan
      ! Error: --plan needs --release.
      ! Hint: eventlog help attachments shows its usage.
      ? 2
      $ eventlog attachments a.jsonl --release --check
      ! Error: --release can't be combined with --check.
      ! Hint: eventlog help attachments shows its usage.
      ? 2
      """)
  }

  @Test func `a repair fetches missing and damaged files`() throws {
    try workplace.follow(
      """
      $ for name in a b c; do printf "photo $name" > $name.jpg; done
      $ for name in a b c; do eventlog append a.jsonl --user ada recipe.created $name \
      image=@$name.jpg; done > id
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ eventlog repair a.jsonl --from Shared
      a.jsonl: nothing is missing.
      $ rm a.attachments/$(sha256sum a.jpg | cut -c1-64)
      $ printf 'photo x' > a.attachments/$(sha256sum b.jpg | cut -c1-64)
      $ eventlog repair a.jsonl --from Shared
      a.jsonl: fetched 2 attachments.
      $ for name in a b c; do cmp a.attachments/$(sha256sum $name.jpg | cut -c1-64) $name.jpg; done
      $ eventlog verify a.jsonl > out
      """)
  }

  @Test func `a repair reports a file that can't be fetched, and fetches the others`() throws {
    try workplace.follow(
      """
      $ for name in a b c; do printf "photo $name" > $name.jpg; done
      $ for name in a b c; do eventlog append a.jsonl --user ada recipe.created $name \
      image=@$name.jpg; done > id
      $ eventlog sync a.jsonl Shared > out 2>&1
      $ rm a.attachments/*
      $ printf 'photo x' > Shared/attachments/$(sha256sum b.jpg | cut -c1-64)-000000000000
      $ eventlog repair a.jsonl --from Shared > out 2> notes
      ? 1
      $ grep -c 'Could not fetch' notes
      1
      $ tail -1 notes
      Warning: a.jsonl: 1 attachment missing. A device that has the content sends it with a sync.
      $ ls a.attachments | wc -l | tr -d ' '
      2
      $ eventlog repair a.jsonl --from Shared --json 2> notes | cut -d '"' -f 4-8
      attachments":{"damaged":[],"left
      """)
  }

  @Test func `another journal gets a copy, also one on another machine`() throws {
    try workplace.writeOtherMachine()
    try workplace.follow(
      """
      $ printf 'a photo' > soup.jpg
      $ eventlog append a.jsonl --user ada recipe.created soup image=@soup.jpg > id
      $ eventlog sync a.jsonl b.jsonl 2>&1 | tail -1
      a.jsonl and b.jsonl: sent 1 attachment.
      $ cmp a.attachments/* b.attachments/* && eventlog attachments b.jsonl --check > out
      """)
    try workplace.follow(
      """
      $ EVENTLOG_SSH='sh ./ssh.sh' eventlog sync a.jsonl desk:c.jsonl 2>&1 | tail -1
      a.jsonl and desk:c.jsonl: sent 1 attachment.
      $ cmp a.attachments/* far/c.attachments/*
      $ EVENTLOG_SSH='sh ./ssh.sh' eventlog sync a.jsonl desk:c.jsonl 2>&1 | tail -1
      a.jsonl and desk:c.jsonl contain the same events.
      $ EVENTLOG_SSH='sh ./ssh.sh' eventlog sync d.jsonl desk:c.jsonl 2>&1 | tail -1
      d.jsonl and desk:c.jsonl: fetched 1 attachment.
      $ cmp a.attachments/* d.attachments/*
      $ rm d.attachments/*
      $ EVENTLOG_SSH='sh ./ssh.sh' eventlog repair d.jsonl --from desk:c.jsonl
      d.jsonl: fetched 1 attachment.
      $ printf 'a whoto' > $(ls far/c.attachments/*); rm d.attachments/*
      $ EVENTLOG_SSH='sh ./ssh.sh' eventlog attachments d.jsonl --fetch 2>&1 \
      | grep -c 'at "desk:c.jsonl" is damaged: its bytes'
      1
      $ ls d.attachments | wc -l | tr -d ' '
      0
      """)
  }
}
