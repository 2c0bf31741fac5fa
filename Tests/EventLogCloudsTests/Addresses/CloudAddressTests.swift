import EventLog
import EventLogTesting
import Foundation
import Testing

@testable import EventLogClouds

@Suite struct CloudAddressTests {
  @Test func `addresses are read`() throws {
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
    guard case .webDAV(let place) = try CloudAddress("davs://example.org/a%20b/") else {
      Issue.record("no WebDAV folder")
      return
    }
    #expect(place.address == "davs://example.org/a%20b")
    #expect(place.url == "https://example.org/a%20b/")
    #expect(throws: Never.self) { try CloudAddress("dav://127.0.0.1:8918/ada") }
    #expect(
      try CloudAddress("cloudkit://iCloud.com.example.diary/production")
        == .cloudKit(CloudKitPlace(container: "iCloud.com.example.diary", environment: .production))
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
    "davs://ada:word@example.org/a", "davs://", "davs:///a", "s3://bucket/a b", "s3://bucket/%zz",
    "cloudkit://", "cloudkit://iCloud.a", "cloudkit://iCloud.a/", "cloudkit://iCloud.a/staging",
    "cloudkit://com.a/production", "cloudkit://iCloud.a/production/", "cloudkit://iCloud.a/b/c/d",
    "cloudkit://iCloud.a/production/_defaultZone", "cloudkit://iCloud.a%2f/production",
    "cloudkit://iCloud.a/production?ckWebAuthToken=secret@",
    "cloudkit://key:secret@iCloud.a/production",
  ])
  func `what is no address is refused in one sentence, without its secrets`(text: String) {
    let error = #expect(throws: EventLogError.self) { try CloudAddress(text) }
    #expect(error?.code == .usage)
    #expect(error?.hint != nil)
    for secret in ["secret@", ":word", "key:"] {
      #expect(error?.description.contains(secret) == false)
    }
  }

  private func environment(
    _ variables: [String: String], _ files: [String: String] = [:]
  ) -> CloudEnvironment {
    CloudEnvironment(variable: { variables[$0] }, file: { files[$0] })
  }

  @Test func `AWS credentials come from the variables, else from the profile`() throws {
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
      AWSProfile(environment(["HOME": "/home/ada", "AWS_PROFILE": "other"], config))
        .place(bucket: "b", prefix: "", endpoint: nil, region: nil)?.region == "eu-west-1")
  }

  @Test func `CloudKit's tokens come from a variable and a file of one's own`() async throws {
    let folder = try TemporaryFolder()
    let place = CloudKitPlace(container: "iCloud.a", environment: .development)
    let variables = ["XDG_CONFIG_HOME": folder.path, "CLOUDKIT_API_TOKEN": "api"]
    let login = CloudKitLogin(place, environment(variables))
    let credentials = try login.credentials()
    #expect(try await credentials.load() == nil)
    for text in ["", "two words", "line\n"] {
      await #expect(throws: EventLogError.self) { try await login.keep(text) }
    }
    try await login.keep("web+/=")
    #expect(try await credentials.load() == "web+/=")
    #expect(credentials.apiToken.value == "api")
    // The next token goes where the last one was, and is nobody else's.
    try await credentials.store("next")
    #expect(try await CloudKitLogin(place, environment(variables)).credentials().load() == "next")
    let other = CloudKitPlace(container: "iCloud.a", environment: .production)
    #expect(
      try await CloudKitLogin(other, environment(variables)).credentials().load() == nil)
    #expect(try await login.forget())
    #expect(try await !login.forget())
    // One that others can read is forgotten, too.
    try await login.keep("web")
    let kept = try #require(
      try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/eventlog").first)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: "\(folder.path)/eventlog/\(kept)")
    await #expect(throws: EventLogError.self) { try await credentials.load() }
    #expect(try await login.forget())
    #expect(try await !login.forget())
    for variables in [["XDG_CONFIG_HOME": folder.path], ["CLOUDKIT_API_TOKEN": "api"]] {
      #expect(throws: EventLogError.self) {
        try CloudKitLogin(place, environment(variables)).credentials()
      }
    }
  }

  @Test func `a netrc file names who asks which server`() {
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
