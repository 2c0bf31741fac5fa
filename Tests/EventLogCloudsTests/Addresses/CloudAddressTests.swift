import EventLog
import EventLogClouds
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
  }

  @Test(arguments: [
    "firestore://", "firestore://p", "firestore://p/", "firestore:///ada", "firestore://p/a/b",
    "s3://", "s3://b", "s3://bucket/a?secret=x", "s3://bucket?endpoint=ftp://a",
    "s3://bucket?endpoint=http://example.org", "s3://key:secret@bucket/a", "dav://example.org/a",
    "davs://ada:word@example.org/a", "davs://", "davs:///a", "s3://bucket/a b", "s3://bucket/%zz",
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
    CloudEnvironment(variable: { variables[$0] }, file: { files[$0] }, keep: { _, _ in })
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
