import EventLog
import EventLogTesting
import Foundation
import Testing

/// A collection that only a schema file declares, with every verb.
@Suite struct SchemaOptionTests {
  private static let declaration = """
    {
      "collections": [
        {
          "kind": "food",
          "fields": {"name": "text", "kcal": "integer", "servings": "counter", "tags": "members"},
          "days": {"ml": "counter", "mood": "text"}
        }
      ]
    }
    """

  private let workplace: Workplace

  init() throws {
    #expect(Self.declaration.split(separator: "\n").count <= 12)
    workplace = try Workplace()
    try workplace.write("food.json", Self.declaration)
  }

  @Test func `printed commands contain the schema option of the command that printed them`() throws
  {
    try workplace.write("plant.json", Self.declaration.replacing("food", with: "plant"))
    let schema = ["--schema", "plant.json"]
    func run(_ arguments: String...) throws -> String {
      let run = try workplace.eventlog(arguments + schema)
      #expect(run.code != 2, "\(run.errorText)")
      return run.text
    }
    _ = try run("append", "a.jsonl", "--user", "ada", "plant.created", "fern", "name=Fern")
    _ = try run("sync", "b.jsonl", "a.jsonl")
    _ = try run("append", "a.jsonl", "plant.edited", "fern", "kcal=2")
    _ = try run("append", "b.jsonl", "plant.edited", "fern", "kcal=3")
    let synced = try run("sync", "a.jsonl", "b.jsonl")
    let why = try run("why", "a.jsonl", "plant/fern", "kcal")
    #expect(why.contains("eventlog conflicts a.jsonl --schema plant.json shows"))
    _ = try run("append", "a.jsonl", "food.created", "oats", "name=Oats")
    #expect(try run("project", "a.jsonl").contains("project a.jsonl foods --schema plant.json"))
    let listed = try run("conflicts", "a.jsonl")
    for text in [synced, listed] {
      let commands = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { $0.hasPrefix("eventlog resolve") }
      #expect(commands.count == 2)
      #expect(commands.allSatisfy { $0.hasSuffix(" --schema plant.json") })
    }
    let command = listed.split(separator: "\n").first { $0.contains("eventlog resolve") }
    #expect(try workplace.shell(String(try #require(command))).code == 0)
    #expect(try run("conflicts", "a.jsonl") == "a.jsonl: no conflicts.\n")
  }

  @Test func `an append doesn't replace a value that only a later schema allows`() throws {
    let schema = #"{"collections":[{"kind":"plant","fields":{"name":"text","light":"RULE"}}]}"#
    try workplace.write("old.json", schema.replacing("RULE", with: "integer 1...5"))
    try workplace.write("new.json", schema.replacing("RULE", with: "quantity"))
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device a --schema new.json plant.created fern \
      light=7.5
      a-aaaaaaa2:2  plant/fern
      $ eventlog append a.jsonl --schema old.json plant.edited fern light=3
      ! Error: plant.edited would replace light of plant/fern, which a-aaaaaaa2:2 wrote and this \
      version can't read in full. Nothing was written.
      ! Hint: light of plant/fern is 7.5. Use a later version's schema (--schema FILE), or replace \
      it: --over a-aaaaaaa2:2
      ? 2
      $ eventlog append a.jsonl --schema old.json plant.edited fern name=Fern
      a-aaaaaaa2:3  plant/fern
      $ eventlog append a.jsonl --schema old.json plant.edited fern light=3 --over 2
      ! Error: --over takes event IDs, <device>:<number>; "2" is not one.
      ! Hint: The message that refused the append contains them.
      ? 2
      """)
    let event = try #require(
      try workplace.eventlog(["replay", "a.jsonl"]).text.firstMatch(of: /a-[a-z2-7]+:2/)?.0)
    let replaced = try workplace.eventlog([
      "append", "a.jsonl", "--schema", "old.json", "plant.edited", "fern", "light=3", "--over",
      String(event),
    ])
    #expect(replaced.code == 0)
  }

  @Test func `undeclared collections are reported by verbs that don't show them`() throws {
    try workplace.write("plant.json", Self.declaration.replacing("food", with: "plant"))
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone --schema plant.json plant.created fern
      phone-aaaaaaa2:2  plant/fern
      $ eventlog conflicts a.jsonl
      a.jsonl: no conflicts in the collections that eventlog knows.
      ! Note: a.jsonl also contains collections that eventlog does not know (plant). They and \
      their conflicts are not shown; --schema FILE declares them.
      $ eventlog conflicts a.jsonl --check
      ! Note: a.jsonl also contains collections that eventlog does not know (plant). They and \
      their conflicts are not shown; --schema FILE declares them.
      ! Error: a.jsonl contains collections that eventlog does not know (plant), so their \
      conflicts cannot be checked. It found no others.
      ! Hint: Pass --schema FILE, which declares them.
      ? 2
      $ eventlog resolve a.jsonl --all --prefer latest
      ! Note: a.jsonl has no conflicts in the collections that eventlog knows.
      ! Note: a.jsonl also contains collections that eventlog does not know (plant). They and \
      their conflicts are not shown; --schema FILE declares them.
      $ eventlog resolve a.jsonl --all --prefer latest --plan
      a.jsonl: no conflicts in the collections that eventlog knows.
      $ eventlog resolve a.jsonl plant/fern#name --value 1
      ! Error: eventlog does not know the collection "plant", so it cannot tell whether there is a \
      conflict "plant/fern#name". Nothing was written.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog why a.jsonl plant/fern name
      ! Error: a.jsonl contains "plant", but no such collection is declared, so what was written \
      to "plant/fern" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog conflicts a.jsonl --schema plant.json --check
      a.jsonl: no conflicts.
      $ eventlog project a.jsonl plants
      ! Error: Unknown section "plants".
      ! Hint: The sections are profile, settings, habits, completions, foods, weights, \
      useByItems, hydration, fastingPlans, fasts, reactions, favourites, allergens, recipes, \
      conflicts; --schema FILE declares those of an app.
      ? 2
      """)
    #expect(
      try workplace.eventlog(["status", "a.jsonl"]).errorText.contains("does not know (plant)"))
  }

  @Test func `undeclared collections are reported when events are transferred or compared`() throws
  {
    try workplace.write("plant.json", Self.declaration.replacing("food", with: "plant"))
    let note = """
      ! Note: a.jsonl also contains collections that eventlog does not know (plant). They and \
      their conflicts are not shown; --schema FILE declares them.
      """
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device a --schema plant.json plant.created fern > id
      $ eventlog sync b.jsonl a.jsonl --schema plant.json > out 2> notes
      $ eventlog append a.jsonl --schema plant.json plant.edited fern kcal=1 > id
      $ eventlog append b.jsonl --device b --schema plant.json plant.edited fern kcal=2 > id
      $ eventlog diff a.jsonl b.jsonl > out
      \(note)
      ? 1
      $ eventlog sync a.jsonl b.jsonl --plan > out
      \(note)
      $ eventlog sync a.jsonl b.jsonl > out
      \(note)
      $ eventlog sync a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog resolve a.jsonl --schema plant.json settings#zz --value 1
      ! Error: There is no conflict "settings#zz"; it may be resolved already. Nothing was \
      written.
      ! Hint: eventlog conflicts a.jsonl --schema plant.json lists the open conflicts.
      ? 2
      """)
  }

  @Test func `an undeclared entity is found by its key or a prefix of it`() throws {
    try workplace.write("plant.json", Self.declaration.replacing("food", with: "plant"))
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --schema plant.json plant.created fern name=Fern > id
      $ eventlog why a.jsonl fern kcal
      ! Error: a.jsonl contains "plant/fern", but no such collection is declared, so what was \
      written to "fern" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog status a.jsonl --where fe > out
      ! Error: a.jsonl contains "plant/fern", but no such collection is declared, so what was \
      written to "fe" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog status a.jsonl --where plant/fe > out
      ! Error: a.jsonl contains "plant", but no such collection is declared, so what was written \
      to "plant/fe" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog status a.jsonl --where plant/zzz
      ! Error: a.jsonl contains "plant", of which no collection is declared, but nothing was ever \
      written to "plant/zzz".
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog why a.jsonl Fern kcal
      ! Error: There is no "Fern" in the declared collections of a.jsonl. It also contains others: \
      plant.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      """)
  }

  @Test func `an error about an entity or field of undeclared events suggests --schema`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada habit.created read > id
      $ eventlog append a.jsonl --force weather.noted sky=clear > id
      $ eventlog append a.jsonl --force habit.sipped habit/read ml=3 > id
      $ eventlog why a.jsonl weather sky
      ! Error: a.jsonl contains "weather", but no such collection is declared, so what was written \
      to "weather" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog status a.jsonl --where weather
      ! Error: a.jsonl contains "weather", but no such collection is declared, so what was written \
      to "weather" is not known.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      $ eventlog why a.jsonl read ml
      ! Error: No declared event wrote to the field "ml" of habit/read. a.jsonl also contains \
      others: habit.sipped.
      ! Hint: Pass --schema FILE, which declares it.
      ? 2
      """)
  }

  private static let orders = """
    {"collections":[{"kind":"order","fields":{"state":{"is":"text","cases":["open","shipped"]},
    "plants":"members of entity plant","sizes":{"is":"members","cases":["s","m"]}}}]}
    """

  @Test func `a value outside an enum's cases is refused without --force`() throws {
    try workplace.write("order.json", Self.orders)
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --schema order.json order.created o state=shiped
      ! Error: order.created was refused: "state" must be one of open, shipped. Nothing was written.
      ! Hint: Did you mean "shipped"? --force writes it anyway.
      ? 2
      $ eventlog append a.jsonl --user ada --schema order.json order.created o state=open > id
      $ eventlog append a.jsonl --schema order.json order.edited o --data '{"state":"lost"}'
      ! Error: order.edited was refused: "state" must be one of open, shipped. Nothing was written.
      ! Hint: Use one of them. --force writes it anyway.
      ? 2
      $ echo '{"type":"order.edited","entity":"order/o","data":{"state":"lost"}}' > events
      $ eventlog append a.jsonl --schema order.json - < events
      ! Error: Line 1 of the input: order.edited was refused: "state" must be one of open, \
      shipped. Nothing was written.
      ! Hint: Use one of them. --force writes it anyway.
      ? 2
      $ eventlog append a.jsonl --schema order.json order.edited o state:=null > id
      $ eventlog append a.jsonl --schema order.json order.included o sizes=s,xl
      ! Error: order.included was refused: "sizes" must be one of s, m. Nothing was written.
      ! Hint: Use one of them. --force writes it anyway.
      ? 2
      $ eventlog append a.jsonl --schema order.json --force order.edited o state=lost > id
      $ eventlog project a.jsonl --schema order.json orders
      Orders
        key  state
        o    lost
      $ eventlog types order.created --schema order.json | tail -n 1
        state  one of open, shipped
      """)
  }

  @Test func `a value outside an enum's cases resolves a conflict only if a candidate has it`()
    throws
  {
    try workplace.write("order.json", Self.orders)
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --schema order.json order.created o state=open > id
      $ eventlog sync b.jsonl a.jsonl --schema order.json > out 2> notes
      $ eventlog append a.jsonl --schema order.json --force order.edited o state=lost > id
      $ eventlog append b.jsonl --schema order.json --device b order.edited o state=shipped > id
      $ eventlog sync a.jsonl b.jsonl --schema order.json > out
      $ eventlog resolve a.jsonl 'order/o#state' --value '"shippd"' --schema order.json
      ! Error: The value was refused: "state" must be one of open, shipped. Nothing was written.
      ! Hint: Did you mean "shipped"?
      ? 2
      $ eventlog resolve a.jsonl 'order/o#state' --value '"lost"' --schema order.json > id
      """)
  }

  @Test func `a link is found by an entity's key, a prefix of it, or its name`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada reaction.created itch symptom=Itch > id
      $ eventlog append a.jsonl food.created m1lk 'name=Oat milk' > id
      $ eventlog append a.jsonl food.created oats name=Oats > id
      $ eventlog append a.jsonl food.created nuts name=Nuts > id
      $ eventlog append a.jsonl reaction.included itch 'foods=Oat milk,food/oats' > id
      $ eventlog append a.jsonl reaction.included itch key=foods members=nu > id
      $ eventlog project a.jsonl reactions --json | grep -o '"foods":[^]]*]'
      "foods":["food/m1lk","food/nuts","food/oats"]
      $ eventlog append a.jsonl fasting-plan.created p16 "name=16 to 8" > id
      $ eventlog append a.jsonl fast.created f "plan=16 to 8" > id
      $ grep -c '"plan":"fasting-plan/p16"' a.jsonl
      1
      $ eventlog append a.jsonl food.deleted nuts > id
      $ eventlog append a.jsonl reaction.excluded itch foods=Nuts,gone > id
      $ eventlog project a.jsonl reactions --json | grep -o '"foods":[^]]*]'
      "foods":["food/m1lk","food/oats"]
      """)
  }

  @Test func `a link to no entity or to several is refused`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada reaction.created itch symptom=Itch > id
      $ eventlog append a.jsonl food.created oats name=Milk > id
      $ eventlog append a.jsonl food.created old name=Milk > id
      $ eventlog append a.jsonl reaction.included itch foods=Mlk
      ! Error: reaction.included was refused: "food/Mlk" does not exist. Nothing was written.
      ! Hint: Did you mean food/oats? --force links to it anyway.
      ? 2
      $ eventlog append a.jsonl reaction.included itch foods=Milk
      ! Error: reaction.included was refused: "Milk" matches 2 entities of kind food: oats, old. \
      Nothing was written.
      ! Hint: Use the whole key.
      ? 2
      $ eventlog append a.jsonl food.deleted old > id
      $ eventlog append a.jsonl reaction.included itch foods=old
      ! Error: reaction.included was refused: "food/old" is deleted. Nothing was written.
      ! Hint: food.restored restores it with all its data. --force links to it anyway.
      ? 2
      $ eventlog append a.jsonl reaction.included itch foods=habit/read
      ! Error: reaction.included was refused: "foods" must be an array in which each value is an \
      entity food/<key>. Nothing was written.
      ! Hint: Use the ID of an entity, such as food/k3f9a2xq. --force writes it anyway.
      ? 2
      $ eventlog append a.jsonl reaction.included itch foods=new --force > id
      $ eventlog append a.jsonl reaction.included itch 'foods:=["Milk"]' --force > id
      $ eventlog append a.jsonl reaction.excluded itch 'foods:=["Milk"]' > id
      $ eventlog project a.jsonl reactions --json | grep -o '"foods":[^]]*]'
      "foods":["food/new"]
      """)
  }

  @Test func `a fast accepts an app's own field with --force`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada fast.created f start=2026-01-28T20:00:00Z > id
      $ eventlog append a.jsonl fast.edited f snooze=15
      ! Error: fast.edited was refused: it has no field "snooze". Nothing was written.
      ! Hint: eventlog types fast.edited lists its fields. --force adds it as a new field.
      ? 2
      $ eventlog append a.jsonl fast.edited f snooze=15 --force > id
      $ eventlog project a.jsonl fasts --json | grep -o '"snooze":15'
      "snooze":15
      """)
  }

  @Test func `undeclared singletons, and undeclared types of a known kind, are reported`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read
      phone-aaaaaaa2:2  habit/read
      $ eventlog append a.jsonl --force weather.noted sky=clear
      phone-aaaaaaa2:3
      $ eventlog conflicts a.jsonl --check
      ! Note: a.jsonl also contains collections that eventlog does not know (weather). They and \
      their conflicts are not shown; --schema FILE declares them.
      ! Error: a.jsonl contains collections that eventlog does not know (weather), so their \
      conflicts cannot be checked. It found no others.
      ! Hint: Pass --schema FILE, which declares them.
      ? 2
      $ eventlog append a.jsonl --force habit.sipped habit/read ml=3
      phone-aaaaaaa2:4  habit/read
      $ eventlog conflicts a.jsonl --check
      ! Note: a.jsonl also contains collections or event types that eventlog does not know \
      (habit.sipped, weather). They and their conflicts are not shown; --schema FILE declares them.
      ! Error: a.jsonl contains collections or event types that eventlog does not know \
      (habit.sipped, weather), so their conflicts cannot be checked. It found no others.
      ! Hint: Pass --schema FILE, which declares them.
      ? 2
      $ eventlog resolve a.jsonl --all --prefer latest
      ! Note: a.jsonl has no conflicts in the collections or event types that eventlog knows.
      ! Note: a.jsonl also contains collections or event types that eventlog does not know \
      (habit.sipped, weather). They and their conflicts are not shown; --schema FILE declares them.
      $ eventlog status a.jsonl >status
      ! Note: a.jsonl also contains collections or event types that eventlog does not know \
      (habit.sipped, weather). They and their conflicts are not shown; --schema FILE declares them.
      """)
  }

  @Test func `a declared kind can be appended to, shown and verified like a built-in one`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone --schema food.json \\
      > food.created oats name=Oats kcal=370 servings=2
      phone-aaaaaaa2:2  food/oats
      $ eventlog append a.jsonl --schema food.json food.advanced Oats servings=1
      phone-aaaaaaa2:3  food/oats
      $ eventlog append a.jsonl --schema food.json food.included oats tags=grain tags=breakfast
      phone-aaaaaaa2:4  food/oats
      $ eventlog append a.jsonl --schema food.json food.recorded oats date=2026-01-28 mood=good
      phone-aaaaaaa2:5  food/oats
      $ eventlog append a.jsonl --schema food.json food.advanced oats date=2026-01-28 ml=250
      phone-aaaaaaa2:6  food/oats
      $ eventlog project a.jsonl --schema food.json foods
      Foods
        key   name  kcal  servings  tags
        oats  Oats  370   3         breakfast, grain

      Foods, day by day
        date        food  ml   mood
        2026-01-28  Oats  250  good

      $ eventlog project a.jsonl --schema food.json food --json
      {"contested":{},"eventCount":6,"foods":[{"days":[{"date":"2026-01-28","fields":{"ml":250,\
      "mood":"good"}}],"fields":{"kcal":370,"name":"Oats","servings":3,"tags":["breakfast",\
      "grain"]},"id":"oats"}],"frontier":["phone-aaaaaaa2:6~01234567"],"user":"ada"}
      $ eventlog verify a.jsonl --schema food.json
      a.jsonl: sound, 6 events from 1 device in 1113 bytes.
      $ eventlog replay a.jsonl --schema food.json --last 1 | cut -d ' ' -f 3-
      phone-aaaaaaa2:6  food.advanced  food/oats  date=2026-01-28  ml=250
      """)
  }

  @Test func `a day's field without a date is dated by the event, and an entity's isn't`() throws {
    _ = try workplace.eventlog(
      "append", "a.jsonl", "--user", "ada", "--schema", "food.json", "food.created", "oats")
    func last(_ arguments: String...) throws -> String {
      let run = try workplace.eventlog(["append", "a.jsonl", "--schema", "food.json"] + arguments)
      #expect(run.code == 0, "\(run.errorText)")
      return try workplace.shell("eventlog replay a.jsonl --json --last 1 | grep -o '\"data\".*},'")
        .text
    }
    let at = ["--at", "2026-03-01T08:00:00+01:00"]
    #expect(
      try last("food.advanced", "oats", "ml=5", at[0], at[1])
        == #""data":{"ml":5,"date":"2026-03-01"},"# + "\n")
    #expect(try last("food.advanced", "oats", "servings=5") == #""data":{"servings":5},"# + "\n")
  }

  @Test func `a value that breaks a declared rule is refused with its field`() throws {
    _ = try workplace.eventlog(
      "append", "a.jsonl", "--user", "ada", "--schema", "food.json", "food.created", "oats")
    try workplace.follow(
      """
      $ eventlog append a.jsonl --schema food.json food.edited oats kcal=many
      ! Error: food.edited was refused: "kcal" must be a whole number from -9007199254740991 to \
      9007199254740991. Nothing was written.
      ! Hint: Use a whole number, such as 1.
      ? 2
      $ eventlog append a.jsonl --schema food.json food.edited oats kcla=370
      ! Error: food.edited was refused: it has no field "kcla". Nothing was written.
      ! Hint: Did you mean "kcal"?
      ? 2
      $ eventlog append a.jsonl --schema food.json food.edited oats tags=a
      ! Error: food.edited was refused: "tags" cannot be written as a whole. \
      Nothing was written.
      ! Hint: food.included, food.excluded can change it.
      ? 2
      $ eventlog append a.jsonl --schema food.json food.advanced oats servings=1 date=2026-01-28
      ! Error: food.advanced was refused: "servings" is not a field of a day, but there is a \
      "date". Nothing was written.
      ! Hint: Leave "date" out.
      ? 2
      $ eventlog append a.jsonl --schema food.json food.advanced oats --data '{"ml":1}' --ref x
      …
      $ eventlog append a.jsonl --schema food.json food.included oats tgas=a
      ! Error: food.included has no set "tgas".
      ! Hint: Did you mean tags?
      ? 2
      $ echo '{"type":"food.advanced","entity":"food/oats","data":{"ml":1}}' \\
      > | eventlog append a.jsonl --schema food.json -
      ! Error: Line 1 of the input: food.advanced was refused: "ml" is a field of a day, but \
      there is no "date". Nothing was written.
      ! Hint: Add "date", such as 2026-01-28.
      ? 2
      $ eventlog append a.jsonl --schema food.json food.creatd
      ! Error: Unknown type "food.creatd". Nothing was written.
      ! Hint: Did you mean food.created?
      ? 2
      $ eventlog project a.jsonl --schema food.json fods
      ! Error: Unknown section "fods".
      ! Hint: Did you mean foods?
      ? 2
      """)
  }

  @Test func `an app's own collection replaces a built-in one with a note`() throws {
    try workplace.write(
      "own.json",
      #"{"collections":[{"kind":"habit","fields":{"title":"text","streak":"counter"}}]}"#)
    try workplace.write("section.json", #"{"collections":[{"kind":"completion","fields":{}}]}"#)
    try workplace.write(
      "food.json", #"{"collections":[{"kind":"food","fields":{"title":"text"}}]}"#)
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone --schema own.json \\
      > habit.created read title=Read streak=3
      phone-aaaaaaa2:2  habit/read
      ! Note: own.json takes the place of what is built in as habit.
      $ eventlog project a.jsonl --schema own.json habits
      Habits
        key   title  streak
        read  Read   3

      ! Note: own.json takes the place of what is built in as habit.
      $ eventlog verify a.jsonl --schema own.json 2> note | cut -d , -f 1
      a.jsonl: sound
      $ eventlog types --schema section.json > types
      ! Note: section.json takes the place of what is built in as habit.
      $ eventlog types --schema food.json > types
      $ eventlog types habit --declaration > habit.json
      $ eventlog types --schema habit.json > types
      """)
  }

  @Test func `concurrent edits of a declared field conflict`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let tablet = history.device("tablet")
    history.append(phone, "food.created", "food/oats", ["name": "Oats", "kcal": 360])
    history.syncAll()
    history.append(phone, "food.edited", "food/oats", ["kcal": 370])
    history.append(tablet, "food.edited", "food/oats", ["kcal": 400])
    history.append(tablet, "food.advanced", "food/oats", ["date": "2026-01-28", "servings": 1])
    history.append(tablet, "food.advanced", "food/oats", ["ml": 1])
    history.append(tablet, "food.included", "food/oats", ["key": "name", "members": ["a"]])
    history.append(tablet, "food.edited", "food/oats", ["tags": ["ignored"]])
    try history.write(to: workplace.file("two.jsonl"))
    try workplace.follow(
      """
      $ eventlog project two.jsonl --schema food.json foods conflicts
      Foods
        key   name  kcal
        oats  Oats  400   contested: kcal

      Conflicts
        food/oats#kcal, was 360
                 370  phone-aaaaaaaa:3   2026-01-01T08:03:00.000Z
          shown  400  tablet-aaaaaaaa:2  2026-01-01T08:04:00.000Z

      $ eventlog status two.jsonl --schema food.json --json | grep -o '"conflictCount":.'
      "conflictCount":1
      $ eventlog verify two.jsonl --schema food.json | cut -d : -f 5-
       "servings" is not a field of a day, but food.advanced has a date; the event is kept, but \
      changes no field.
       "ml" is a field of a day, but food.advanced has no date; the event is kept, but changes no \
      field.
       The value of "key" is not valid for food.included; the event is kept, but changes no field.

      """)
  }

  @Test func `types lists declared collections and prints a declaration that can be reused`()
    throws
  {
    try workplace.follow(
      """
      $ eventlog types food --schema food.json
      foods  (each a food/<key>)
        food.created   [servings] FIELD…       Creates one.
        food.edited    [servings] FIELD…       Writes the given fields.
        food.deleted                           Deletes one.
        food.restored                          Restores a deleted one.
        food.recorded  [date] [ml] [mood]      Writes the given fields of a day.
        food.advanced  [date] [servings] [ml]  Adds to the given counters.
        food.included  key members             Adds texts to the given set.
        food.excluded  key members             Removes texts from the given set.
        FIELD is one of: name kcal
      $ echo '{"collections":[{"kind":"x","furtherFields":true,"fields":{"a":"text"}}]}' > x.json
      $ eventlog types x --schema x.json | tail -n 1
        FIELD is any name, such as: a
      $ eventlog types food --schema food.json --declaration
      {"collections":[{"kind":"food","fields":{"name":"text","kcal":"integer",\
      "servings":"counter","tags":"members"},"days":{"ml":"counter","mood":"text"}}]}
      $ eventlog types --declaration > all.json
      $ eventlog types --declaration --schema all.json | cmp - all.json
      $ eventlog types habit --declaration > habit.json
      $ eventlog types --schema habit.json --declaration | cmp - habit.json
      $ eventlog types fodo
      ! Error: Unknown type "fodo".
      ! Hint: Did you mean food?
      ? 2
      """)
  }

  @Test func `an unusable schema file is refused with its name and reason`() throws {
    try workplace.write("broken.json", "{\"collections\":[{\"kind\":\"food\",\"feilds\":{}}]}")
    try workplace.write("core.json", "{\"collections\":[{\"kind\":\"habit\"}]}")
    try workplace.write("text.json", "{\n \"é\" 1}")
    try workplace.write("large.json", String(repeating: " ", count: 1_048_577))
    try workplace.write("bell.json", "{\"collections\":[{\"kind\":\"\\u0007\"}]}")
    for verb in ["append", "replay", "project", "verify", "status", "types"] {
      let arguments = verb == "types" ? [verb] : [verb, "a.jsonl"]
      let run = try workplace.eventlog(arguments + ["--schema", "missing.json"])
      #expect(run.code == 2)
      #expect(
        run.errorText.hasPrefix("Error: Could not read the schema \"missing.json\": "),
        "\(run.errorText)")
    }
    try workplace.follow(
      """
      $ eventlog types --schema broken.json
      ! Error: broken.json: collections[0] "food" has an unknown member "feilds".
      ! Hint: Did you mean "fields"?
      ? 2
      $ eventlog types --schema text.json
      ! Error: text.json: A schema is one JSON object; this one is not JSON (line 2, column 6).
      ! Hint: For an example of a schema: eventlog types food --declaration
      ? 2
      $ eventlog types --schema large.json
      ! Error: large.json: a schema may have at most 1048576 bytes.
      ! Hint: Split it into several files, and pass the one that you need.
      ? 2
      $ eventlog types --schema text.json --json
      ! {"error":{"byte":8,"code":"invalidSchema","file":"text.json","hint":"For an example of \
      a schema: eventlog types food --declaration","line":2,"message":"text.json: A schema is \
      one JSON object; this one is not JSON (line 2, column 6)."}}
      ? 2
      """)
    let bell = try workplace.eventlog("types", "--schema", "bell.json")
    #expect(bell.code == 2 && !bell.errors.contains(7))
  }

  @Test func `a pipe can be the schema file`() throws {
    let run = try workplace.shell(
      "cat food.json | eventlog types food.recorded --schema /dev/stdin")
    #expect(run.code == 0 && run.text.contains("mood"), "\(run.errorText)")
  }

  @Test func `project without sections lists the other collections of the journal`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone food.created oats name=Oats kcal=370
      phone-aaaaaaa2:2  food/oats
      $ eventlog append a.jsonl hydration.created water name=Water
      phone-aaaaaaa2:3  hydration/water
      $ eventlog append a.jsonl favourites.included entities=food/oats
      phone-aaaaaaa2:4
      $ eventlog project a.jsonl
      …
      Also foods (1), hydration (1), favourites (1). To list them:
        eventlog project a.jsonl foods hydration favourites

      4 events from 1 device, user ada
      """)
    let json = try workplace.eventlog("project", "a.jsonl", "--json").text
    #expect(json.contains("\"foods\"") && json.contains("\"habits\":[]"))
    #expect(!json.contains("\"weights\""))
  }
}
