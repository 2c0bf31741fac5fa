import EventLog
import Testing

/// `erase` of the built command.
@Suite struct EraseTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created tea name=Green goal=3 > id
      $ eventlog append a.jsonl habit.edited tea name=Black > id
      $ eventlog append a.jsonl settings.changed theme=secretive > id
      $ eventlog append a.jsonl settings.changed theme=dark > id
      $ mkdir place; eventlog sync a.jsonl place > out 2> err
      $ eventlog sync b.jsonl place > out 2> err; cp a.jsonl old.jsonl
      """)
  }

  @Test func `nothing is erased of a collection that is not declared`() throws {
    try workplace.follow(
      """
      $ echo '{"collections":[{"kind":"plant","fields":{"name":"text"}}]}' > s.json
      $ eventlog append a.jsonl --schema s.json plant.created p1 name=Old > id
      $ eventlog append a.jsonl --schema s.json plant.edited p1 name=New > id; cp a.jsonl before
      $ id=$(cut -d ' ' -f 1 id); for what in "$id" "plant/p1" "plant/p1 name" "plant/p1 --plan"
      > do eventlog erase a.jsonl $what 2>&1 | sed "s/$id/ID/"; done
      Error: "plant.edited" is not declared, so what its events show is unknown. Nothing was erased.
      Hint: Pass --schema FILE, which declares it.
      Error: "plant" is not declared, so what its events show is unknown. Nothing was erased.
      Hint: Pass --schema FILE, which declares it.
      Error: "plant" is not declared, so what its events show is unknown. Nothing was erased.
      Hint: Pass --schema FILE, which declares it.
      Error: "plant" is not declared, so what its events show is unknown. Nothing was erased.
      Hint: Pass --schema FILE, which declares it.
      $ cmp a.jsonl before; eventlog erase a.jsonl plant/p1 name --schema s.json 2> note | head -1
      1 event was erased:
      $ eventlog project a.jsonl --schema s.json plants | grep p1
        p1   New
      """)
  }

  @Test func `an entity is erased here, at a place and on another device`() throws {
    try workplace.follow(
      """
      $ eventlog erase a.jsonl habit/tea > out 2> err; head -2 out
      habit/tea was deleted.
      2 events were erased:
      $ eventlog sync a.jsonl place > out 2> err; eventlog sync b.jsonl place > out 2> err
      $ cat a.jsonl b.jsonl place/* $(find *.eventlog -type f) | grep -c 'Green\\|Black'; true
      0
      $ eventlog erase a.jsonl --prove place 2> err | sed 's/of [0-9]* files/of N files/'
      None of N files contains anything of 2 erased events.
      $ eventlog erase a.jsonl --prove nowhere 2>&1 > out | head -1 | sed "s|/.*/||"
      Error: There is nothing at "nowhere", so nothing was proved.
      $ cp old.jsonl place/old; eventlog erase a.jsonl --prove place > out 2> err; echo $?
      1
      $ sed 's/.*contains [^ ]*:/contains /' out; rm place/old
      contains 2
      contains 3
      Something of 2 erased events is left: sync with the place, or append, to remove it.
      $ eventlog verify a.jsonl | sed 's/in [0-9]* bytes/in N bytes/'
      a.jsonl: sound, 7 events from 1 device in N bytes.
      $ eventlog verify b.jsonl | sed 's/in [0-9]* bytes/in N bytes/'
      b.jsonl: sound, 7 events from 1 device in N bytes.
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog project b.jsonl | grep theme
        theme  dark
      """)
  }

  @Test func `the past values of a field are erased and the present one stays`() throws {
    try workplace.follow(
      """
      $ eventlog erase a.jsonl settings theme > out 2> err; head -1 out
      1 event was erased:
      $ grep -c secretive a.jsonl; eventlog project a.jsonl | grep theme
      0
        theme  dark
      $ eventlog erase a.jsonl settings theme
      There is nothing to erase.
      """)
  }

  @Test func `most of a journal is overwritten only after its person agreed`() throws {
    let lines = (1...1100).map { #"{"type":"settings.changed","data":{"theme":"old-\#($0)"}}"# }
    _ = try workplace.eventlog(
      "append", "a.jsonl", "-", input: lines.joined(separator: "\n") + "\n")
    try workplace.follow(
      """
      $ eventlog sync a.jsonl place > out 2> err; eventlog sync b.jsonl place > out 2> err
      $ eventlog erase b.jsonl settings theme --device b > out 2> err; grep -c 'old-[0-9]' b.jsonl
      1
      $ eventlog sync a.jsonl b.jsonl > out 2> err; grep -o 'were erased on another device' err
      were erased on another device
      $ eventlog append a.jsonl settings.changed x=1 > id; grep -c 'old-[0-9]' a.jsonl
      1100
      $ yes '{"type":"settings.changed","data":{"y":1}}' | head -1500 > more
      $ eventlog append a.jsonl - < more > id; grep -c 'old-[0-9]' a.jsonl
      1100
      $ eventlog sync a.jsonl place > out 2> err; cat place/* | grep -c 'old-[0-9]'
      1100
      $ eventlog project a.jsonl | grep theme
        theme  old-1100
      $ eventlog erase a.jsonl --agree
      The contents of 1101 erased events were overwritten.
      $ grep -c 'old-[0-9]' a.jsonl; eventlog erase a.jsonl --agree
      1
      There is nothing to overwrite.
      $ eventlog sync a.jsonl place > out 2> err; cat place/* | grep -c 'old-[0-9]'
      1
      """)
  }

  @Test func `texts are looked for in every spelling, and not printed`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl settings.changed note='Zoë said "hello there"' > id
      $ echo 'Zoë said "hello there"' > texts; echo 'nothing of it' >> texts
      $ printf 'Zoë said "hello there"' | iconv -t UTF-16LE > a.eventlog/wide
      $ printf 'xZoë said "hello there"y' | base64 > a.eventlog/coded
      $ eventlog erase a.jsonl --prove --needle - < texts > out 2> err; echo $?; sort out
      1
      None of 7 files contains anything of 0 erased events, but other lines have a text.
      a.eventlog/coded contains text 1
      a.eventlog/wide contains text 1
      a.jsonl contains text 1
      $ grep -c Zoë out err; true
      out:0
      err:0
      $ eventlog erase a.jsonl --prove --needle Zoë > out 2> err; echo $?
      2
      """)
  }

  @Test func `texts are found decomposed, with escaped slashes, in wrapped Base64 and in pieces`()
    throws
  {
    try workplace.follow(
      #"""
      $ printf 'Zoë at noon/dusk' > texts; mkdir -p a.eventlog/cache; ln -s a.eventlog/cache b
      $ printf 'Zoe\314\210 at noon/dusk' > b/apart
      $ printf '{"note":"Zo\\u00eb at noon\\/dusk"}' > b/slash
      $ printf 'xxZoë at noon/duskyy' | base64 -w 8 > b/wrapped
      $ printf 'xZoë at noon/dusk' | base64 -w 8 | sed ':a;N;$!ba;s/\n/\\r\\n/g' > b/escaped
      $ head -c 4194300 /dev/zero > b/far; printf 'Zoë at noon/dusk' >> b/far
      $ head -c 4194300 /dev/zero | tr '\0' A > b/coded
      $ printf 'Zoë at noon/dusk' | base64 >> b/coded
      $ eventlog erase a.jsonl --prove --needle - < texts 2> err | grep 'contains text' | sort
      a.eventlog/cache/apart contains text 1
      a.eventlog/cache/coded contains text 1
      a.eventlog/cache/escaped contains text 1
      a.eventlog/cache/far contains text 1
      a.eventlog/cache/slash contains text 1
      a.eventlog/cache/wrapped contains text 1
      $ printf 'Zoe\314\210 at noon/dusk' > texts
      $ eventlog erase a.jsonl --prove --needle - < texts 2> err | grep -c 'contains text'
      6
      """#)
  }

  @Test func `a note names short texts, which Base64 may contain unnoticed`() throws {
    try workplace.follow(
      """
      $ mkdir -p a.eventlog/cache; printf 'xseven77y' | base64 > a.eventlog/cache/coded
      $ printf 'xxtinyy' | base64 > a.eventlog/cache/short
      $ printf 'seven77\\n\\ntiny\\n' > texts
      $ eventlog erase a.jsonl --prove --needle - < texts > out 2> notes
      ? 1
      $ head -1 out; grep Base64 notes
      a.eventlog/cache/coded contains text 1
      Note: 1 text of less than 7 bytes may be missed in Base64, where so few characters prove \
      nothing: 3.
      $ grep -c tiny notes
      0
      ? 1
      $ eventlog erase a.jsonl --prove --needle - < texts --json 2>&1 > out | grep -c Base64
      1
      $ echo seven77 > texts
      $ eventlog erase a.jsonl --prove --needle - < texts 2>&1 | grep -c Base64
      0
      ? 1
      """)
  }

  @Test func `texts are looked for in attached files at a place, too`() throws {
    try workplace.follow(
      """
      $ printf 'a hidden photo' > soup.jpg
      $ eventlog append a.jsonl recipe.created soup image=@soup.jpg > id
      $ eventlog sync a.jsonl place > out 2> err
      $ eventlog erase a.jsonl --prove place > out 2> err; echo $?
      0
      $ rm -r a.attachments; echo hidden > texts
      $ eventlog erase a.jsonl --prove place --needle - < texts > out 2> err; echo $?
      1
      $ grep 'contains text' out | cut -c1-24
      attachments/77ef293ef792
      """)
  }

  @Test func `a shown or required value is not erased`() throws {
    try workplace.follow(
      """
      $ eventlog erase a.jsonl phone:1 > out 2> err; echo $?
      2
      $ cp a.jsonl before; eventlog erase a.jsonl settings nothing > out 2> err; echo $?
      2
      $ eventlog erase a.jsonl habit/coffee > out 2> err; echo $?; head -1 err
      2
      Error: "a.jsonl" has no events of habit/coffee to erase.
      $ cmp before a.jsonl
      """)
    let id = try workplace.eventlog("replay", "a.jsonl", "--json").output
    let last = String(decoding: id, as: UTF8.self).split(separator: "\n").last.map(String.init)
    let event = try #require(last?.split(separator: "\"").dropFirst(3).first)
    let run = try workplace.eventlog("erase", "a.jsonl", String(event))
    #expect(run.code == 2)
    #expect(run.errorText.contains("would change what settings show"))
  }

  @Test func `no value of a field in conflict is erased, not even the base`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl habit.edited tea name=Red > out
      $ eventlog append b.jsonl habit.edited tea name=Blue > out
      $ eventlog sync b.jsonl place > out 2> err; eventlog sync a.jsonl place > out 2> err
      $ eventlog conflicts a.jsonl | head -1
        habit/tea#name, was Black
      $ eventlog why a.jsonl tea name | grep Black | tr -s ' ' | cut -d ' ' -f 3 > base
      $ cp a.jsonl before; eventlog erase a.jsonl $(cat base)
      ! Error: "name" of "habit/tea" is in conflict, so none of its values is past. Nothing was \
      erased.
      ! Hint: Resolve the conflict first.
      ? 2
      $ cmp a.jsonl before; eventlog resolve a.jsonl habit/tea#name --value '"Red"' > out
      $ eventlog erase a.jsonl $(cat base) 2> err | head -1
      1 event was erased:
      """)
  }

  @Test func `a device that was away, and a restored backup, bring nothing back`() throws {
    try workplace.follow(
      """
      $ eventlog append b.jsonl --device tablet settings.changed x=1 --force > out 2> err
      $ eventlog erase a.jsonl habit/tea > out 2> err; eventlog sync a.jsonl place > out 2> err
      $ eventlog sync b.jsonl place > out 2> err; grep -c 'Green\\|Black' b.jsonl; true
      0
      $ mkdir back; cp old.jsonl back/a.jsonl; eventlog sync back/a.jsonl place > out 2> err
      $ grep -c 'Green\\|Black' back/a.jsonl; cat place/* | grep -c 'Green\\|Black'; true
      0
      0
      $ eventlog verify back/a.jsonl > out; echo $?
      0
      """)
  }
}
