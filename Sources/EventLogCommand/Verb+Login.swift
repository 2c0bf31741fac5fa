import EventLog
import EventLogClouds

extension Verb {
  static let login = Verb(
    name: "login", summary: "sign in to Firebase or iCloud, to sync with it",
    usage: [
      "login firestore://PROJECT[/USER] --email ADDRESS", "login firestore://PROJECT --anonymous",
      "login cloudkit://CONTAINER/ENVIRONMENT", "login ADDRESS --forget",
    ],
    options: [
      OptionSpec("email", "ADDRESS", "sign in as the user with this e-mail address"),
      OptionSpec("anonymous", nil, "create a new user whom only this sign-in can reach"),
      OptionSpec("forget", nil, "forget the sign-in"), .json,
    ],
    operandsMax: 1,
    examples: [
      ("eventlog login firestore://diary --email ada@example.org", "prints the address to use"),
      ("eventlog login firestore://diary --anonymous", "the same for a new, anonymous user"),
      ("eventlog login firestore://diary/USER --forget", "sync no longer reaches that user"),
    ],
    notes: [
      "FIREBASE_API_KEY must be set to the project's web API key, which the Firebase console shows"
        + "\nin the project's settings. The password is FIREBASE_PASSWORD, else a line of standard"
        + "\ninput; neither belongs on a command line, which others can see.",
      "The sign-in is kept in a file for each user, which only you can read, in the folder eventlog"
        + "\nof $XDG_CONFIG_HOME or ~/.config: a token for new tokens, not the password. Whoever"
        + "\nhas that file can act as the user. An anonymous user whose sign-in is lost or"
        + "\nforgotten can't be reached again.",
      "For CloudKit, sign in on Apple's page of the container, and pass the web token that it gives"
        + "\nas a line of standard input. It is kept in the same folder; each request replaces it."
        + "\nCLOUDKIT_API_TOKEN must be set to the container's API token when you sync.",
      "FIREBASE_AUTH_EMULATOR_HOST names the emulator of Firebase Auth, HOST:PORT. Its sign-ins are"
        + "\nkept apart. With FIRESTORE_EMULATOR_HOST, a sync needs no sign-in.",
    ]
  ) { arguments, console in
    if let run = try CloudKitLoginRun(arguments, console) {
      try await run.perform(arguments)
      return .yes
    }
    let (project, user) = try LoginRun.project(arguments)
    let run = LoginRun(
      project: project, user: user,
      login: FirestoreLogin(project: project, user: user, .ofTerminal),
      console: console)
    try await run.perform(arguments)
    return .yes
  }
}

/// One call of `eventlog login`.
private struct LoginRun {
  let project: String
  let user: String?
  let login: FirestoreLogin
  let console: Console

  func perform(_ arguments: Arguments) async throws {
    if arguments.has("forget") { return try await forget() }
    let user: FirebaseUser
    if let email = arguments["email"] {
      user = try await login.signIn(email: email, password: try password())
    } else {
      user = try await login.signInAnonymously()
    }
    let address = LoginRun.address(project, user.id)
    if console.isJSON {
      return try console.print(
        JSONValue.sorted([
          .init(name: "address", value: .string(address)),
          .init(name: "isAnonymous", value: .bool(user.isAnonymous)),
          .init(name: "user", value: .string(user.id)),
        ]).text)
    }
    try console.print("Signed in as \(Visible.text(user.id)).")
    try console.print("The address for sync: \(Visible.text(address))")
  }

  private func forget() async throws {
    guard let user else { return }
    try console.printForgotten(
      LoginRun.address(project, user), wasSignedIn: try await login.forget(user))
  }

  /// Reads the password. It is never an argument, because every process can read those.
  private func password() throws -> String {
    if let word = Terminal.environment("FIREBASE_PASSWORD"), !word.isEmpty { return word }
    guard let line = try Terminal.readSecretLine(prompt: "Password: "), !line.isEmpty,
      let word = String(validating: line, as: UTF8.self)
    else {
      throw EventLogError.usage(
        "There is no password. Nothing was changed.", "login",
        hint: "Set FIREBASE_PASSWORD, or pass the password as one line of standard input.")
    }
    return word
  }

  private static func address(_ project: String, _ user: String) -> String {
    "firestore://\(project)/\(PercentEncoding.encode(user))"
  }

  /// Returns the project, and the user if the address contains one.
  static func project(
    _ arguments: Arguments
  ) throws(EventLogError) -> (project: String, user: String?) {
    guard let word = arguments.operands.first else {
      throw .usage("eventlog login needs an address: firestore://PROJECT.", "login")
    }
    let ways = ["email", "anonymous", "forget"].filter(arguments.has)
    guard ways.count == 1, let way = ways.first else {
      throw .usage(
        ways.isEmpty
          ? "It is not said how to sign in. Nothing was changed."
          : "--\(ways[0]) and --\(ways[1]) cannot be combined.", "login",
        hint: ways.isEmpty ? "Add --email ADDRESS, or --anonymous." : nil)
    }
    let (project, user) = try project(in: word)
    if way == "anonymous", user != nil {
      throw .usage(
        "Firebase chooses the ID of an anonymous user. Nothing was changed.", "login",
        hint: "Name only the project: firestore://\(Visible.text(project))")
    }
    if way == "forget", user == nil {
      throw .usage(
        "--forget needs the user. Nothing was changed.", "login",
        hint: "Name the user, too: firestore://\(Visible.text(project))/USER")
    }
    return (project, user)
  }

  private static func project(
    in word: String
  ) throws(EventLogError) -> (project: String, user: String?) {
    let prefix = "firestore://"
    let rest = word.dropFirst(prefix.count)
    if word.lowercased().hasPrefix(prefix), !rest.isEmpty,
      !rest.contains(where: { "/?@".contains($0) })
    {
      // Check the project by completing the address with any user.
      _ = try CloudAddress(word + "/user")
      return (String(rest), nil)
    }
    guard case .firestore(let project, let user, nil)? = try? CloudAddress(word) else {
      throw .usage(
        "\"\(Visible.text(word))\" is not a project of Firestore.", "login",
        hint: "For example: firestore://diary")
    }
    return (project, user)
  }
}

extension Console {
  /// Prints the result of `--forget`, for any kind of remote.
  func printForgotten(_ address: String, wasSignedIn: Bool) throws {
    if isJSON {
      return try print(
        JSONValue.sorted([
          .init(name: "address", value: .string(address)),
          .init(name: "wasSignedIn", value: .bool(wasSignedIn)),
        ]).text)
    }
    let shown = Visible.text(address)
    try print(
      wasSignedIn ? "Forgot the sign-in for \(shown)." : "There was no sign-in for \(shown).")
  }
}
