import Testing

@testable import EventLogCommand

/// `eventlog adopt`: a guest's events become an account's, in a journal and in remotes.
@Suite struct AdoptTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device desk profile.updated birthday=1990-01-01 > id
      $ eventlog append guest.jsonl --user guest-1 --device phone profile.updated \
      birthday=1999-05-05 height=170 > id
      $ cp guest.jsonl guest.before && cp ada.jsonl ada.before
      """)
  }

  @Test func `a planned adoption lists its conflicts and changes nothing`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl --plan | cut -c1-37
      ada.jsonl would adopt guest-1, with 2

      1 conflict would arise:
        profile#birthday
          account         1990-01-01  desk-
          guest    shown  1999-05-05  phone
      $ eventlog adopt ada.jsonl guest.jsonl --plan --json | grep -o '"adopted":."guest-1".'
      "adopted":["guest-1"]
      $ cmp ada.jsonl ada.before && cmp guest.jsonl guest.before
      """)
  }

  @Test func `adopting leaves the guest's file unchanged and adopting again writes nothing`() throws
  {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl | head -1
      ada.jsonl adopted guest-1, with 2 events from guest.jsonl.
      $ cmp guest.jsonl guest.before && cp ada.jsonl ada.after
      $ eventlog adopt ada.jsonl guest.jsonl
      ada.jsonl already contains the events of guest.jsonl. Nothing was changed.
      $ cmp ada.jsonl ada.after
      $ eventlog resolve ada.jsonl --all --prefer account > id && eventlog project ada.jsonl profile
      Profile
        birthday  1990-01-01
        height    170
      $ eventlog verify ada.jsonl | cut -c1-16
      ada.jsonl: sound
      """)
  }

  @Test func `adopting a user who isn't a guest prints a warning`() throws {
    try workplace.follow(
      """
      $ eventlog append bob.jsonl --user bob profile.updated height=180 > id
      $ eventlog adopt ada.jsonl bob.jsonl --plan 2>&1 | grep Warning
      Warning: bob is not a guest. Everything that bob wrote would be in this journal, and in \
      every remote that it syncs with.
      $ eventlog adopt ada.jsonl bob.jsonl 2>&1 > out | cat
      Warning: bob is not a guest. Everything that bob wrote will be in this journal, and in \
      every remote that it syncs with.
      Hint: To hide it again: eventlog adopt ada.jsonl --undo=bob
      $ eventlog adopt ada.jsonl guest.jsonl 2>&1 | grep -c Warning
      0
      ? 1
      """)
  }

  @Test func `a sync explains why an adopted guest's journal receives no events`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog sync ada.jsonl guest.jsonl
      ada.jsonl contains all events of guest.jsonl. guest.jsonl receives none, because its user, \
      guest-1, was adopted.
      $ eventlog sync guest.jsonl ada.jsonl
      ada.jsonl contains all events of guest.jsonl. guest.jsonl receives none, because its user, \
      guest-1, was adopted.
      $ eventlog status ada.jsonl | grep ^adopted
      adopted    guest-1
      """)
  }

  @Test func `undoing an adoption restores earlier values and keeps later ones`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog append ada.jsonl profile.updated weight=61 > id && cp ada.jsonl ada.after
      $ eventlog adopt ada.jsonl --undo guest-1 --plan
      ada.jsonl: undoing guest-1 would change 2 values.
        profile#birthday  1999-05-05  →  1990-01-01
        profile#height    170         →  -
      $ cmp ada.jsonl ada.after
      $ eventlog adopt ada.jsonl --undo guest-1 | head -1
      ada.jsonl: undid guest-1, which changed 2 values.
      $ eventlog project ada.jsonl profile
      Profile
        birthday  1990-01-01
        weight    61
      $ eventlog adopt ada.jsonl --undo guest-1
      ada.jsonl: nothing of guest-1 is left to undo.
      $ eventlog conflicts ada.jsonl
      ada.jsonl: no conflicts.
      """)
  }

  @Test func `adopting again after an undo restores the hidden values`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog adopt ada.jsonl --undo guest-1 > out && cp ada.jsonl ada.after
      $ eventlog adopt ada.jsonl guest.jsonl --plan
      ada.jsonl: bringing back guest-1, which was undone, would change 2 values.
        profile#birthday  1990-01-01  →  1999-05-05
        profile#height    -           →  170
      $ cmp ada.jsonl ada.after
      $ eventlog adopt ada.jsonl guest.jsonl --json | grep -o '"restored":.*"new":170' | cut -c1-11
      "restored":
      $ eventlog project ada.jsonl profile
      Profile
        birthday  1999-05-05
        height    170
      $ eventlog adopt ada.jsonl guest.jsonl
      ada.jsonl already contains the events of guest.jsonl. Nothing was changed.
      """)
  }

  @Test func `the adoptions of several guests can be undone one by one`() throws {
    try workplace.follow(
      """
      $ eventlog append second.jsonl --user guest-2 --device pad profile.updated \
      birthday=2000-06-06 > id
      $ eventlog adopt ada.jsonl guest.jsonl > out && eventlog adopt ada.jsonl second.jsonl > out
      $ eventlog adopt ada.jsonl --undo guest-1
      ada.jsonl: undid guest-1, which changed 1 value.
        profile#height  170  →  -
      These conflicts end with the value that shows without guest-1:
        profile#birthday
      $ eventlog adopt ada.jsonl --undo guest-2
      ada.jsonl: undid guest-2, which changed 1 value.
        profile#birthday  2000-06-06  →  1990-01-01
      $ eventlog project ada.jsonl profile
      Profile
        birthday  1990-01-01
      """)
  }

  @Test func `undoing an adoption keeps and lists a value chosen in a conflict`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog conflicts ada.jsonl | grep -cE '^    (account|guest)  '
      2
      $ eventlog resolve ada.jsonl --all --prefer guest --plan
      ada.jsonl would resolve 1 conflict.
        profile#birthday  1999-05-05  phone-bdxjrbdo:2
      $ eventlog resolve ada.jsonl --all --prefer guest --json | grep -o '"open":..'
      "open":[]
      $ eventlog adopt ada.jsonl --undo guest-1
      ada.jsonl: undid guest-1, which changed 1 value.
        profile#height  170  →  -
      These keep the value of guest-1, because somebody has chosen it since:
        profile#birthday
      """)
  }

  @Test func `adopting again after all values were replaced explains why none is shown`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog append ada.jsonl profile.updated birthday=1980-01-01 height=180 > id
      $ eventlog adopt ada.jsonl guest.jsonl
      ada.jsonl already contains the events of guest.jsonl. Nothing was changed.
      Nothing of guest-1 shows here: all of it was replaced since. \
      guest.jsonl still has all of it: look there, and write what you want back.
      """)
  }

  @Test func `a comparison with the guest's journal suggests only syncs with an effect`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog diff ada.jsonl guest.jsonl | tail -n 1
      guest.jsonl receives nothing, because its user, guest-1, was adopted: there is nothing to \
      sync.
      $ eventlog append guest.jsonl settings.changed theme=dark > id
      $ eventlog diff guest.jsonl ada.jsonl 2> notes | tail -n 2
      eventlog sync guest.jsonl ada.jsonl fetches what only guest.jsonl contains.
      guest.jsonl receives nothing, because its user, guest-1, was adopted: there is nothing else \
      to sync.
      $ eventlog sync guest.jsonl ada.jsonl > out && eventlog project ada.jsonl settings
      Settings
        theme  dark
      """)
  }

  @Test func `a planned resolution writes nothing`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out && cp ada.jsonl ada.after
      $ eventlog resolve ada.jsonl profile#birthday --value '"2000-01-01"' --plan
      ada.jsonl would resolve 1 conflict.
        profile#birthday  2000-01-01  another value
      $ eventlog resolve ada.jsonl --all --prefer account --plan --json | grep -o '"value":"[^"]*"'
      "value":"1990-01-01"
      $ cmp ada.jsonl ada.after
      """)
  }

  @Test func `accounts lists unreadable files and users with several journals`() throws {
    try workplace.follow(
      """
      $ mkdir Accounts && cp ada.jsonl Accounts/a.jsonl && cp ada.jsonl Accounts/b.jsonl
      $ cp guest.jsonl Accounts/g.jsonl && echo no > Accounts/n.jsonl
      $ eventlog append Accounts/h.jsonl --user guest-2 settings.changed theme=dark > id
      $ eventlog accounts Accounts 2> notes | sed 's/   */  /g'
        user  places  events  journal
        unreadable  -  -  -  Accounts/n.jsonl
        ada  account  not chosen  2  Accounts/a.jsonl
        ada  account  not chosen  2  Accounts/b.jsonl
      current  guest-1  guest  -  2  Accounts/g.jsonl
        guest-2  guest  -  2  Accounts/h.jsonl
      $ cat notes
      Warning: "Accounts/n.jsonl" is not a journal: it contains no events. It was not changed.
      Hint: Check the path.
      Note: 2 journals belong to ada; the app unites them when it opens.
      Note: there is no accounts.json, so nobody is signed in.
      """)
  }

  @Test func `accounts lists a guest as adopted if an account has all its events`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out && mkdir Accounts
      $ cp ada.jsonl Accounts/a.jsonl && cp guest.jsonl Accounts/g.jsonl
      $ eventlog accounts Accounts 2> notes | sed 's/   */  /g'
        user  places  events  journal
        ada  account  not chosen  5  Accounts/a.jsonl
        guest-1  adopted by ada  -  2  Accounts/g.jsonl
      $ eventlog append Accounts/g.jsonl settings.changed theme=dark > id
      $ eventlog accounts Accounts 2> notes | grep -c 'guest-1 *guest'
      1
      """)
  }

  @Test func `an account can sync with its guest's folder after adopting the guest`() throws {
    try workplace.follow(
      """
      $ eventlog sync guest.jsonl Shared > out 2> notes
      $ eventlog sync ada.jsonl Shared 2>&1 | grep -c 'events of another user'
      1
      $ eventlog adopt ada.jsonl guest.jsonl > out && eventlog sync ada.jsonl Shared > out
      $ eventlog sync new.jsonl Shared > out 2> notes && eventlog status new.jsonl | head -1
      user       ada
      $ eventlog diff ada.jsonl new.jsonl
      ada.jsonl and new.jsonl contain the same events.
      $ eventlog append guest.jsonl settings.changed theme=dark > id
      $ eventlog sync guest.jsonl Shared > out && eventlog sync new.jsonl Shared > out
      $ eventlog project new.jsonl settings
      Settings
        theme  dark
      $ eventlog append bea.jsonl --user bea --device pad settings.changed font=12 > id
      $ eventlog adopt bea.jsonl new.jsonl 2> notes | head -1
      bea.jsonl adopted ada, guest-1, with 6 events from new.jsonl.
      $ eventlog sync bea.jsonl Shared > out && eventlog sync last.jsonl Shared > out 2> notes
      $ eventlog status last.jsonl | head -1 && eventlog diff bea.jsonl last.jsonl
      user       bea
      bea.jsonl and last.jsonl contain the same events.
      """)
  }

  /// For any order of device names, the second adoption has seen the first guest's events.
  @Test(arguments: ["m z a", "m a z", "a m z", "z m a", "a z m", "z a m"])
  func `a new device receives several adopted guests in one sync`(names: String) throws {
    try workplace.follow(
      """
      $ set -- \(names); begin() { eventlog append $1.jsonl --user $2 --device $3 habit.created $4 \
      name=N > id; }; begin new eva $1 x && begin g1 guest-7 $2 y && begin g2 guest-8 $3 z
      $ eventlog adopt new.jsonl g1.jsonl > out
      $ eventlog append new.jsonl habit.edited y name=Y > id
      $ eventlog adopt new.jsonl g2.jsonl > out
      $ eventlog sync new.jsonl Shared > out 2> notes
      $ eventlog sync one.jsonl new.jsonl > out 2> notes
      $ eventlog diff new.jsonl one.jsonl
      new.jsonl and one.jsonl contain the same events.
      $ eventlog sync two.jsonl Shared > out 2> notes
      $ eventlog diff new.jsonl two.jsonl
      new.jsonl and two.jsonl contain the same events.
      """)
  }

  @Test func `a folder of one account refuses another account that adopted the same guest`() throws
  {
    try workplace.follow(
      """
      $ eventlog sync guest.jsonl Shared > out 2> notes
      $ eventlog adopt ada.jsonl guest.jsonl > out && eventlog sync ada.jsonl Shared > out
      $ eventlog append guest.jsonl settings.changed theme=dark > id
      $ eventlog sync guest.jsonl Shared > out
      $ eventlog append bea.jsonl --user bea --device pad settings.changed font=12 > id
      $ eventlog adopt bea.jsonl guest.jsonl > out
      $ eventlog sync bea.jsonl Shared 2>&1 | grep -c 'events of another user'
      1
      $ ls Shared | grep -c pad
      0
      ? 1
      """)
  }

  @Test func `an impossible adoption is refused with a reason and changes nothing`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl ada.jsonl
      ! Error: "ada.jsonl" is the journal itself.
      ! Hint: eventlog help adopt shows its usage.
      ? 2
      $ cp ada.jsonl copy.jsonl && eventlog adopt ada.jsonl copy.jsonl
      ! Error: "copy.jsonl" belongs to the same user, so there is nobody to adopt. Nothing was \
      changed.
      ! Hint: To exchange events with it, sync with it.
      ? 2
      $ mkdir Shared && eventlog adopt ada.jsonl Shared
      ! Error: "Shared" is a folder, and only a journal can be adopted.
      ! Hint: Adopt the journal that was synced with it; the folder needs nothing else.
      ? 2
      $ eventlog adopt guest.jsonl ada.jsonl
      ! Error: This journal belongs to a guest, and "ada.jsonl" to an account. A guest cannot \
      adopt an account. Nothing was changed.
      ! Hint: Adopt in the other direction: the account adopts the guest.
      ? 2
      $ eventlog adopt ada.jsonl nobody.jsonl
      ! Error: There is no journal at "nobody.jsonl". Nothing was changed.
      ! Hint: Check the path.
      ? 2
      $ sed '1s/guest-1/guest-2/' guest.jsonl > damaged.jsonl
      $ eventlog adopt ada.jsonl damaged.jsonl 2>&1 | grep -c '"damaged.jsonl" is damaged'
      1
      $ eventlog adopt ada.jsonl --undo guest-1
      ! Error: This journal's user has not adopted "guest-1". Nothing was written.
      ! Hint: No user was adopted into this journal, so there is nothing to undo.
      ? 2
      $ eventlog adopt ada.jsonl
      ! Error: eventlog adopt needs the journal of the user to adopt.
      ! Hint: eventlog help adopt shows its usage.
      ? 2
      $ eventlog adopt ada.jsonl guest.jsonl --undo guest-1
      ! Error: --undo takes a user, and no second journal.
      ! Hint: eventlog help adopt shows its usage.
      ? 2
      $ eventlog adopt new.jsonl guest.jsonl
      ! Error: The journal is new and has no user yet.
      ! Hint: Specify the user: --user NAME.
      ? 2
      $ cmp ada.jsonl ada.before && cmp guest.jsonl guest.before && ls | grep -c new
      0
      ? 1
      """)
  }

  @Test func `a preference for one side leaves other conflicts open`() throws {
    try workplace.follow(
      """
      $ eventlog adopt ada.jsonl guest.jsonl > out
      $ eventlog sync other.jsonl ada.jsonl > out 2> notes
      $ eventlog append ada.jsonl settings.changed theme=dark > id
      $ eventlog append other.jsonl --device pad settings.changed theme=light > id
      $ eventlog sync ada.jsonl other.jsonl > out
      $ eventlog resolve ada.jsonl --all --prefer guest > id
      ! Note: 1 conflict stayed open: all candidates are of one side, and --prefer=latest would \
      resolve them, too. eventlog conflicts ada.jsonl lists what is open.
      $ eventlog conflicts ada.jsonl | grep '^  [a-z]'
        settings#theme
      $ eventlog project ada.jsonl profile | grep birthday
        birthday  1999-05-05
      $ eventlog resolve ada.jsonl --all
      ! Error: --all needs --prefer SIDE, and --prefer needs --all.
      ! Hint: SIDE is one of account, guest, latest.
      ? 2
      $ eventlog resolve ada.jsonl --all --prefer Guest
      ! Error: There is no side "Guest".
      ! Hint: SIDE is one of account, guest, latest.
      ? 2
      """)
  }
}
