import EventLog
import EventLogAccounts

extension Verb {
  static let accounts = Verb(
    name: "accounts", summary: "list the users of an app's folder of accounts",
    usage: ["accounts FOLDER"],
    options: [.json],
    operandsMax: 1,
    examples: [
      ("eventlog accounts Accounts", "the users, who is signed in, and their journals"),
      ("eventlog accounts Accounts --json", "the same, for a program"),
    ],
    notes: [
      "An app that uses EventLogAccounts keeps one journal for each user in a folder, and in"
        + "\naccounts.json who is signed in. This verb only reads them."
    ]
  ) { arguments, console in
    guard let path = arguments.operands.first else {
      throw EventLogError.usage("eventlog accounts needs a folder.", "accounts")
    }
    if Terminal.isMissing(path) {
      throw EventLogError.usage(
        "There is no folder \"\(Visible.text(path))\".", "accounts", hint: "Check the path.")
    }
    if !Terminal.isFolder(path) {
      throw EventLogError.usage("\"\(Visible.text(path))\" is not a folder.", "accounts")
    }
    let report = AccountsReport(
      overview: try AccountsOverview(ofFolder: path), path: path, console: console)
    try report.print()
    return .yes
  }
}

/// The output of `eventlog accounts`.
private struct AccountsReport {
  let overview: AccountsOverview
  let path: String
  let console: Console

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    if overview.rows.isEmpty {
      return try console.print("\(Visible.text(path)) contains no journals.")
    }
    var table = Table()
    table.add(["", "user", "", "places", "events", "journal"].map { console.styled($0, .dim) })
    for row in overview.rows {
      table.add([
        row.isCurrent ? "current" : "", name(row),
        kind(row), choice(row),
        row.eventCount.map { String($0) } ?? (row.error == nil ? "0" : "-"),
        Visible.text(row.path),
      ])
    }
    for line in table.lines(console, indent: "") { try console.print(line) }
    for row in overview.rows {
      guard let error = row.error else { continue }
      console.note("Warning: \(Visible.text(error.message))")
      if let hint = error.hint { console.note("Hint: \(Visible.text(hint))") }
    }
    for (user, rows) in twice {
      console.note(
        "Note: \(rows.count) journals belong to \(Visible.text(user)); the app unites them when it"
          + " opens.")
    }
    if !overview.isListed {
      console.note("Note: there is no accounts.json, so nobody is signed in.")
    }
    if overview.isUnfinished {
      console.note("Note: a sign-in or removal was interrupted; the app finishes it when it opens.")
    }
  }

  /// The users with several journals, with the rows of these journals.
  private var twice: [(user: String, rows: [AccountsOverview.Row])] {
    var found: [(user: String, rows: [AccountsOverview.Row])] = []
    for row in overview.rows
    where !row.user.isEmpty && row.eventCount != nil && row.adoptedBy == nil {
      if let last = found.last, last.user.hasBytes(of: row.user) {
        found[found.count - 1].rows.append(row)
      } else {
        found.append((row.user, [row]))
      }
    }
    return found.filter { $0.rows.count > 1 }
  }

  private func name(_ row: AccountsOverview.Row) -> String {
    if !row.user.isEmpty { return Visible.text(row.user) }
    return row.error == nil ? "unknown" : "unreadable"
  }

  private func kind(_ row: AccountsOverview.Row) -> String {
    if row.user.isEmpty { return "-" }
    if let user = row.adoptedBy { return "adopted by \(Visible.text(user))" }
    return row.isGuest ? "guest" : row.isAnonymous ? "anonymous" : "account"
  }

  /// The account's provider choice, or "-" for guests, adopted users and unknown users.
  private func choice(_ row: AccountsOverview.Row) -> String {
    if row.user.isEmpty || row.isGuest || row.adoptedBy != nil { return "-" }
    return row.choice.map { Visible.text(word($0)) } ?? "not chosen"
  }

  private func word(_ choice: ProviderChoice) -> String {
    switch choice {
    case .automatic: "automatic"
    case .local: "local"
    case .only(let name): name
    }
  }

  private var json: JSONValue {
    let rows = overview.rows.map { row in
      var members: [JSONObject.Member] = [
        .init(name: "user", value: .string(row.user)),
        .init(name: "isCurrent", value: .bool(row.isCurrent)),
        .init(name: "isGuest", value: .bool(row.isGuest)),
        .init(name: "isAnonymous", value: .bool(row.isAnonymous)),
        .init(name: "events", value: .count(row.eventCount ?? 0)),
        .init(name: "journal", value: .string(row.path)),
      ]
      if let user = row.adoptedBy {
        members.append(.init(name: "adoptedBy", value: .string(user)))
      }
      if let choice = row.choice {
        members.append(.init(name: "choice", value: .string(word(choice))))
      }
      if let time = row.choiceTime {
        members.append(.init(name: "chosenAt", value: .string(time.description)))
      }
      if let error = row.error { members.append(.init(name: "error", value: error.codeJSON)) }
      let others = twice.first { $0.user.hasBytes(of: row.user) }?.rows ?? []
      if others.count > 1 { members.append(.init(name: "hasOtherJournal", value: .bool(true))) }
      return JSONValue.sorted(members)
    }
    return .sorted([
      .init(name: "accounts", value: .array(rows)),
      .init(name: "isListed", value: .bool(overview.isListed)),
      .init(name: "isUnfinished", value: .bool(overview.isUnfinished)),
    ])
  }
}
