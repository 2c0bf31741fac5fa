import EventLog
import EventLogClouds

/// One call of `eventlog login cloudkit://…`.
struct CloudKitLoginRun {
  private let location: CloudKitLocation
  private let console: Console

  /// Returns nil for other kinds of addresses.
  init?(_ arguments: Arguments, _ console: Console) throws(EventLogError) {
    guard let word = arguments.operands.first, word.lowercased().hasPrefix("cloudkit://") else {
      return nil
    }
    guard case .cloudKit(let location) = try CloudAddress(word) else { return nil }
    for option in ["email", "anonymous"] where arguments.has(option) {
      throw .usage(
        "--\(option) signs in to Firebase only. Nothing was changed.", "login",
        hint: "Leave it out, and pass the web token as one line of standard input.")
    }
    (self.location, self.console) = (location, console)
  }

  func perform(_ arguments: Arguments) async throws {
    let login = CloudKitLogin(location, .ofTerminal)
    let address = Visible.text(location.address)
    if arguments.has("forget") {
      return try console.printForgotten(location.address, wasSignedIn: try await login.forget())
    }
    let line = try Terminal.readSecretLine(prompt: "Web token: ") ?? []
    try await login.keep(String(validating: line, as: UTF8.self) ?? "")
    if console.isJSON {
      return try console.print(
        JSONValue.sorted([.init(name: "address", value: .string(location.address))]).text)
    }
    try console.print("Kept the web token. The address for sync: \(address)")
  }
}
