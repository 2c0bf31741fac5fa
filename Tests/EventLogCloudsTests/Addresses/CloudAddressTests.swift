import EventLog
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogClouds

@Suite struct CloudAddressTests {
  @Test func `valid addresses are parsed`() throws {
    #expect(try CloudAddress("firestore://p-1/ada") == .firestore(project: "p-1", user: "ada"))
    #expect(
      try CloudAddress("firestore://p/a%20b") == .firestore(project: "p", user: "a b"))
    #expect(
      try CloudAddress("s3://bucket/users/ada")
        == .bucket(name: "bucket", prefix: "users/ada", endpoint: nil, region: nil))
    #expect(
      try CloudAddress("s3://bucket?endpoint=http://127.0.0.1:5555&region=eu-central-1")
        == .bucket(
          name: "bucket", prefix: "", endpoint: "http://127.0.0.1:5555", region: "eu-central-1"))
    guard case .webDAV(let location) = try CloudAddress("davs://example.org/a%20b/") else {
      Issue.record("no WebDAV folder")
      return
    }
    #expect(location.address == "davs://example.org/a%20b")
    #expect(location.url == "https://example.org/a%20b/")
    #expect(throws: Never.self) { try CloudAddress("dav://127.0.0.1:8918/ada") }
    #expect(
      try CloudAddress("cloudkit://iCloud.com.example.diary/production")
        == .cloudKit(
          CloudKitLocation(container: "iCloud.com.example.diary", environment: .production))
    )
    guard case .cloudKit(let zone) = try CloudAddress("cloudkit://iCloud.a/development/ada-1")
    else {
      Issue.record("no zone")
      return
    }
    #expect(zone.zone == "ada-1")
    #expect(zone.address == "cloudkit://iCloud.a/development/ada-1")
  }

  @Test(arguments: [
    "firestore://", "firestore://p", "firestore://p/", "firestore:///ada", "firestore://p/a/b",
    "s3://", "s3://b", "s3://bucket/a?secret=x", "s3://bucket?endpoint=ftp://a",
    "s3://bucket?endpoint=http://example.org", "s3://key:secret@bucket/a", "dav://example.org/a",
    "davs://ada:word@example.org/a", "davs://", "davs:///a", "s3://bucket/%zz", "davs://:443/a",
    "cloudkit://", "cloudkit://iCloud.a", "cloudkit://iCloud.a/", "cloudkit://iCloud.a/staging",
    "cloudkit://com.a/production", "cloudkit://iCloud.a/production/", "cloudkit://iCloud.a/b/c/d",
    "cloudkit://iCloud.a/production/_defaultZone", "cloudkit://iCloud.a%2f/production",
    "cloudkit://iCloud.a/production?ckWebAuthToken=secret@",
    "cloudkit://key:secret@iCloud.a/production",
  ])
  func `an invalid address is refused without showing its secrets`(text: String) {
    let error = #expect(throws: EventLogError.self) { try CloudAddress(text) }
    #expect(error?.code == .usage)
    #expect(error?.hint != nil)
    for secret in ["secret@", ":word", "key:"] {
      #expect(error?.description.contains(secret) == false)
    }
  }

  @Test(arguments: [
    ("davs://example.org/a/../b", "contains . or .."), ("s3://bucket/../b", "contains . or .."),
    ("davs://example.org/%2E%2e/b", "contains . or .."), ("davs://example.org/a#b", "contains a #"),
    ("s3://bucket/a#b", "contains a #"), ("davs://example.org/100%", "contains a % that"),
    ("s3://bucket/100%/ada", "contains a % that"), ("davs://example.org/%FF", "isn't UTF-8"),
    ("davs://example.org/a?b", "a question mark"), ("davs://example.org/a\nb", "control"),
    ("dav://localhost/x%00y", "a % that encodes a control"),
    ("s3://bucket/a%0A", "a % that encodes a control"),
    ("firestore://p/a%7f", "a % that encodes a control"),
    ("dav://nas.local/a", "would send everything unencrypted"),
    ("s3://bucket/a?endpoint=http://nas:9000", "endpoint that would send everything unencrypted"),
    ("s3://bucket/a?endpoint=nas", "endpoint that is no address of a server"),
  ])
  func `an invalid address is refused with the right reason`(text: String, reason: String) {
    let error = #expect(throws: EventLogError.self) { try CloudAddress(text) }
    #expect(error?.message.contains(reason) == true, "\(error as Any)")
    if text.contains("http://") { #expect(error?.hint?.contains("this machine only") == true) }
  }

  @Test(arguments: [
    ("davs://Example.org:443/a//", "davs://example.org/a"),
    ("davs://example.org/Töne und mehr", "davs://example.org/T%C3%B6ne%20und%20mehr"),
    ("davs://example.org/%7eada/%C3%9c", "davs://example.org/~ada/%C3%9C"),
    ("davs://example.org/a%2Fb%25", "davs://example.org/a%2Fb%25"),
    ("dav://localhost:80/a", "dav://localhost/a"),
    ("firestore://p/a b", "firestore://p/a%20b"), ("Firestore://p/a", "firestore://p/a"),
    ("DAVS://Example.org/A", "davs://example.org/A"),
    ("S3://bucket/A", "s3://bucket/A?region=us-east-1"),
    ("CLOUDKIT://iCloud.a/production", "cloudkit://iCloud.a/production"),
    ("s3://bucket/a b/", "s3://bucket/a%20b?region=us-east-1"),
    ("s3://bucket", "s3://bucket?region=us-east-1"),
    ("s3://bucket/a//", "s3://bucket/a//?region=us-east-1"),
    (
      "s3://bucket/a?region=auto&endpoint=https%3A%2F%2FNAS.example%3A443/",
      "s3://bucket/a?endpoint=https://nas.example&region=auto"
    ),
    (
      "s3://bucket/a?endpoint=https://s3.eu-west-1.amazonaws.com&region=eu-west-1",
      "s3://bucket/a?region=eu-west-1"
    ),
    ("cloudkit://iCloud.a/production/Eventlog", "cloudkit://iCloud.a/production"),
  ])
  func `all spellings of an address have the same canonical form`(
    text: String, canonical: String
  ) throws {
    let none = environment(["AWS_ACCESS_KEY_ID": "a", "CLOUDKIT_API_TOKEN": "b", "HOME": "/"])
    #expect(CloudAddress.canonicalText(text, none) == canonical)
    for isCanonical in [false, true] {
      #expect(CloudAddress.canonicalText(canonical, none, isCanonical: isCanonical) == canonical)
    }
    #expect(try CloudAddress(canonical).storage(none).address == canonical)
    #expect(try CloudAddress(text).storage(none).address == canonical)
    #expect(try CloudAddress(text).isSameRemote(as: CloudAddress(canonical)))
  }

  @Test func `a canonical address means the same in any environment`() throws {
    let there = environment(["AWS_ENDPOINT_URL": "https://nas.example/", "AWS_REGION": "auto"])
    let address = CloudAddress.canonicalText("s3://bucket/ada", there)
    #expect(address == "s3://bucket/ada?endpoint=https://nas.example&region=auto")
    let atAWS = "s3://bucket/ada?region=eu-west-1"
    for other in [environment([:]), there, environment(["AWS_REGION": "us-west-2"])] {
      #expect(CloudAddress.canonicalText(address, other, isCanonical: true) == address)
      #expect(CloudAddress.canonicalText(atAWS, other, isCanonical: true) == atAWS)
      // Requests go to the same address.
      #expect(try CloudAddress(atAWS).storage(other, isCanonical: true).address == atAWS)
    }
    // A typed address depends on the environment.
    #expect(CloudAddress.canonicalText(atAWS, there).contains("endpoint=https://nas.example"))
    #expect(try !CloudAddress(address).isSameRemote(as: CloudAddress(atAWS)))
    #expect(try CloudAddress("s3://bucket/ada/").isSameRemote(as: CloudAddress(atAWS)))
    let error = #expect(throws: EventLogError.self) {
      try CloudAddress("s3://bucket/ada").storage(environment(["AWS_ENDPOINT_URL": "http://nas"]))
    }
    #expect(error?.message.contains("AWS_ENDPOINT_URL would send everything unencrypted") == true)
  }

  @Test func `settings are read even from a file that others can read`() throws {
    let config = CloudEnvironment(
      variable: { ["HOME": "/home/ada"][$0] },
      file: { (_) throws(EventLogError) in throw EventLogError(.accessDenied, "open to others") },
      settings: { $0 == "/home/ada/.aws/config" ? "[default]\nregion = eu-west-1" : nil })
    let location = try AWSProfile(config).location(
      bucket: "b", prefix: "", endpoint: nil, region: nil)
    #expect(location.region == "eu-west-1")
    #expect(throws: EventLogError.self) { try AWSProfile(config).credentials() }
  }

  private func environment(
    _ variables: [String: String], _ files: [String: String] = [:]
  ) -> CloudEnvironment {
    CloudEnvironment(variable: { variables[$0] }, file: { files[$0] })
  }

  @Test func `AWS credentials come from variables, or else from the profile`() throws {
    let file = """
      # a comment
      [default]
      aws_access_key_id = one
      aws_secret_access_key=two
      [other]
      aws_access_key_id=three
      aws_secret_access_key = four/+=
      aws_session_token = five
      """
    let files = ["/home/ada/.aws/credentials": file]
    let home = ["HOME": "/home/ada"]
    #expect(try AWSProfile(environment(home, files)).credentials().accessKeyID == "one")
    let other = try AWSProfile(
      environment(home.merging(["AWS_PROFILE": "other"]) { $1 }, files)
    ).credentials()
    #expect(other.secretAccessKey == "four/+=")
    #expect(other.sessionToken == "five")
    let named = try AWSProfile(
      environment(
        home.merging(["AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"]) { $1 }, files)
    ).credentials()
    #expect(named.accessKeyID == "x")
    #expect(throws: EventLogError.self) { try AWSProfile(environment([:])).credentials() }
    let config = ["/home/ada/.aws/config": "[profile other]\nregion = eu-west-1\n"]
    #expect(
      try AWSProfile(environment(["HOME": "/home/ada", "AWS_PROFILE": "other"], config))
        .location(bucket: "b", prefix: "", endpoint: nil, region: nil).region == "eu-west-1")
  }

  @Test func `CloudKit's tokens come from a variable and a private file`() async throws {
    let folder = try TemporaryFolder()
    let location = CloudKitLocation(container: "iCloud.a", environment: .development)
    let variables = ["XDG_CONFIG_HOME": folder.path, "CLOUDKIT_API_TOKEN": "api"]
    let login = CloudKitLogin(location, environment(variables))
    let credentials = try login.credentials()
    #expect(try await credentials.load() == nil)
    for text in ["", "two words", "line\n"] {
      await #expect(throws: EventLogError.self) { try await login.keep(text) }
    }
    try await login.keep("web+/=")
    #expect(try await credentials.load() == "web+/=")
    #expect(credentials.apiToken.value == "api")
    // The next token replaces the last one, and only in the same environment.
    try await credentials.store("next")
    #expect(
      try await CloudKitLogin(location, environment(variables)).credentials().load() == "next")
    let other = CloudKitLocation(container: "iCloud.a", environment: .production)
    #expect(
      try await CloudKitLogin(other, environment(variables)).credentials().load() == nil)
    #expect(try await login.forget())
    #expect(try await !login.forget())
    // Even a token that others can read is removed.
    try await login.keep("web")
    let fileName = try #require(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/eventlog").first)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: "\(folder.path)/eventlog/\(fileName)")
    await #expect(throws: EventLogError.self) { try await credentials.load() }
    #expect(try await login.forget())
    #expect(try await !login.forget())
    for variables in [["XDG_CONFIG_HOME": folder.path], ["CLOUDKIT_API_TOKEN": "api"]] {
      #expect(throws: EventLogError.self) {
        try CloudKitLogin(location, environment(variables)).credentials()
      }
    }
  }

  @Test func `a netrc file provides the credentials for each server`() {
    let text = """
      machine other.example login x password y
      # machine commented.example login x password y
      machine cloud.example.org
        login ada
        password word
      default login anonymous password none
      """
    #expect(Netrc.credentials(for: "cloud.example.org", in: text)?.password == "word")
    #expect(Netrc.credentials(for: "commented.example", in: text)?.user == "anonymous")
    #expect(Netrc.credentials(for: "a", in: "machine a login") == nil)
    #expect(Netrc.credentials(for: "a", in: "machine a login b machine c password d") == nil)
  }
}
