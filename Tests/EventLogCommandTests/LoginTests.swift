import EventLog
import Foundation
import Testing

/// `eventlog login` with a local server.
@Suite struct LoginTests {
  private let workplace: Workplace
  private let firebase: FirebaseServer

  init() throws {
    (workplace, firebase) = (try Workplace(), try FirebaseServer())
  }

  private func login(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> Workplace.Run {
    try workplace.eventlog(
      ["login"] + arguments, input: Array(input.utf8),
      environment: firebase.environment.merging(environment) { $1 })
  }

  private var folder: String { workplace.file(".config/eventlog") }
  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  @Test func `an anonymous sign-in is stored in a file that only its owner can read`() throws {
    let run = try login("firestore://diary", "--anonymous")
    #expect(
      run.text == "Signed in as guest-1.\nThe address for sync: firestore://diary/guest-1\n")
    #expect(run.code == 0 && run.errors.isEmpty)
    let file = try #require(files.first)
    #expect(files.count == 1 && file.contains("diary%2Fguest-1"))
    for (path, mode) in [(folder, 0o700), ("\(folder)/\(file)", 0o600)] {
      let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(found == mode)
    }
    #expect(
      try String(decoding: workplace.read(".config/eventlog/\(file)"), as: UTF8.self).contains(
        "refresh-guest-1"))
  }

  @Test func `a password is read from the environment or from standard input`() throws {
    for run in [
      try login(
        "firestore://diary", "--email", "ada@example.org",
        environment: ["FIREBASE_PASSWORD": "pass-word"]),
      try login("firestore://diary/mail-user", "--email=ada@example.org", input: "pass-word\n"),
      try login("firestore://diary", "--email=ada@example.org", input: "pass-word\r\nmore"),
    ] {
      #expect(run.code == 0, "\(run.errorText)")
      #expect(run.text.hasPrefix("Signed in as mail-user.\n"))
    }
    #expect(files.count == 1)
    #expect(firebase.requests.allSatisfy { $0.body.contains("ada@example.org") })
    let none = try login("firestore://diary", "--email", "ada@example.org")
    #expect(none.code == 2)
    #expect(none.errorText.contains("FIREBASE_PASSWORD"))
  }

  @Test func `a wrong password or another user than named changes nothing`() throws {
    let wrong = try login(
      "firestore://diary", "--email", "ada@example.org", "--json", input: "no-word\n")
    #expect(wrong.code == 2)
    #expect(wrong.errorText.contains(#""code":"signInNeeded""#))
    let other = try login(
      "firestore://diary/ben", "--email", "ada@example.org", "--json", input: "pass-word\n")
    #expect(other.code == 2)
    #expect(other.errorText.contains(#""code":"otherUser""#))
    #expect(files.isEmpty)
    for text in [wrong.errorText, other.errorText] {
      for secret in ["no-word", "pass-word", "ada@example.org", "refresh-"] {
        #expect(!text.contains(secret))
      }
    }
  }

  @Test func `several users are signed in at once and forgotten one by one`() throws {
    _ = try login("firestore://diary", "--anonymous")
    _ = try login("firestore://diary", "--anonymous")
    let mail = try login("firestore://diary", "--email", "a@b.c", "--json", input: "pass-word\n")
    #expect(
      mail.text
        == #"{"address":"firestore://diary/mail-user","isAnonymous":false,"user":"mail-user"}"#
        + "\n")
    #expect(files.count == 3)
    let forgotten = try login("firestore://diary/guest-1", "--forget")
    #expect(forgotten.text == "Forgot the sign-in for firestore://diary/guest-1.\n")
    #expect(files.count == 2 && !files.contains { $0.contains("guest-1") })
    let repeated = try login("firestore://diary/guest-1", "--forget", "--json")
    #expect(repeated.code == 0)
    #expect(repeated.text == #"{"address":"firestore://diary/guest-1","wasSignedIn":false}"# + "\n")
    // Users of the real service differ from those of the emulator.
    let real = try workplace.eventlog("login", "firestore://diary/guest-2", "--forget")
    #expect(real.text.hasPrefix("There was no sign-in"))
    #expect(files.count == 2)
  }

  @Test func `an incomplete login is refused with a hint`() throws {
    for (arguments, hint) in [
      (["login"], "eventlog help login"), (["login", "firestore://diary"], "--anonymous"),
      (["login", "s3://bucket", "--anonymous"], "firestore://diary"),
      (["login", "firestore://diary/u", "--anonymous"], "firestore://diary"),
      (["login", "firestore://diary", "--forget"], "firestore://diary/USER"),
      (["login", "firestore://a@b", "--anonymous"], "firestore://diary"),
      (["login", "firestore://diary", "--anonymous"], "web API key"),
    ] {
      let run = try workplace.eventlog(arguments, environment: [:])
      #expect(run.code == 2)
      #expect(run.errorText.contains("Hint: ") && run.errorText.contains(hint), "\(run.errorText)")
    }
    #expect(files.isEmpty)
  }

  @Test func `a sign-in file that others can read isn't used`() throws {
    _ = try login("firestore://diary", "--anonymous")
    _ = try workplace.shell("chmod 644 .config/eventlog/*")
    try makeJournal()
    let run = try workplace.eventlog(
      ["sync", "ada.jsonl", "firestore://diary/guest-1"], environment: firebase.environment)
    #expect(run.code == 2)
    #expect(run.errorText.contains("others can read it"))
    #expect(firebase.count("/token") == 0)
  }

  private func makeJournal() throws {
    _ = try workplace.eventlog(
      "append", "ada.jsonl", "--user", "ada", "profile.updated", "firstName=A")
  }

  @Test func `a sync uses the stored sign-in and asks for a login if there is none`() throws {
    try makeJournal()
    let arguments = ["sync", "ada.jsonl", "firestore://diary/guest-1", "--json"]
    let none = try workplace.eventlog(arguments, environment: firebase.environment)
    #expect(none.code == 2)
    #expect(none.errorText.contains(#""code":"signInNeeded""#))
    #expect(none.errorText.contains("eventlog login firestore://diary/guest-1 --email ADDRESS"))
    #expect(firebase.requests.isEmpty)
    _ = try login("firestore://diary", "--anonymous")
    // The stored sign-in is used to request a token. If that fails, no other user is created.
    firebase.refuse("TOKEN_EXPIRED")
    let dead = try workplace.eventlog(arguments, environment: firebase.environment)
    #expect(dead.code == 2)
    #expect(dead.errorText.contains(#""code":"signInNeeded""#))
    #expect(dead.errorText.contains("TOKEN_EXPIRED"))
    #expect(firebase.count("/token") == 1 && firebase.count(":signUp") == 1)
    // No secret is stored next to the journal.
    let found = try workplace.shell("grep -rl refresh- . | grep -v .config; true")
    #expect(found.text.isEmpty)
  }

  @Test func `an emulator's remote is remembered with the emulator's address`() throws {
    try makeJournal()
    let environment = ["FIRESTORE_EMULATOR_HOST": firebase.host]
    let run = try workplace.eventlog(
      ["sync", "ada.jsonl", "firestore://diary/ada"], environment: environment)
    #expect(run.code == 0, "\(run.errorText)")
    let address = "firestore://diary/ada?emulator=\(firebase.host)"
    let status = try workplace.eventlog("status", "ada.jsonl", "--json").text
    #expect(status.contains(#""remotes":["\#(address)"]"#), "\(status)")
    // Without the variable, the address still means the emulator. The real service is another
    // remote.
    let count = firebase.requests.count
    firebase.empty()
    let repeated = try workplace.eventlog("sync", "ada.jsonl")
    #expect(repeated.errorText.contains(address), "\(repeated.errorText)")
    #expect(firebase.requests.count > count)
    let real = try workplace.eventlog("sync", "ada.jsonl", "firestore://diary/ada", "--plan")
    #expect(real.errorText.contains("eventlog login firestore://diary"))
    let forgotten = try workplace.eventlog(
      ["sync", "ada.jsonl", "--forget", "firestore://diary/ada"], environment: environment)
    #expect(forgotten.code == 0)
    #expect(try workplace.eventlog("status", "ada.jsonl", "--json").text.contains(#""remotes":[]"#))
  }

  @Test func `a web token of CloudKit is stored and not printed`() throws {
    let address = "cloudkit://iCloud.a/development"
    for input in ["", "two words\n"] {
      let refused = try login(address, input: input)
      #expect(refused.code == 2 && refused.errorText.contains("A web token is one word."))
    }
    let email = try login(address, "--email", "ada@example.org", input: "web\n")
    #expect(email.code == 2 && files.isEmpty)
    let run = try login(address, input: "web-token\n")
    #expect(run.code == 0 && run.text == "Kept the web token. The address for sync: \(address)\n")
    let file = try #require(files.first)
    #expect(files.count == 1 && file.contains("cloudkit%2FiCloud.a%2Fdevelopment"))
    #expect(try workplace.read(".config/eventlog/\(file)") == Array("web-token".utf8))
    #expect(try login(address, "--forget").text == "Forgot the sign-in for \(address).\n")
    #expect(
      try login(address, "--forget", "--json").text
        == #"{"address":"\#(address)","wasSignedIn":false}"# + "\n")
  }
}
