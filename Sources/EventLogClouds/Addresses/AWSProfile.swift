import EventLog

/// The credentials and settings that the tools of AWS use: variables, and the shared files.
struct AWSProfile: Sendable {
  private let environment: CloudEnvironment

  init(_ environment: CloudEnvironment) { self.environment = environment }

  private var name: String { environment.variable("AWS_PROFILE") ?? "default" }

  /// - Throws: `usage` where there are none.
  func credentials() throws(EventLogError) -> BucketCredentials {
    if let id = environment.variable("AWS_ACCESS_KEY_ID"),
      let secret = environment.variable("AWS_SECRET_ACCESS_KEY")
    {
      return BucketCredentials(
        accessKeyID: id, secretAccessKey: secret,
        sessionToken: environment.variable("AWS_SESSION_TOKEN"))
    }
    let values = try section("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", [name])
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
    else {
      throw EventLogError(
        .usage, "There are no AWS credentials for the profile \"\(SafeText.quote(name))\".",
        hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials.")
    }
    return BucketCredentials(
      accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
  }

  /// Where a bucket is; nil where the endpoint of the environment is no address.
  func place(
    bucket: String, prefix: String, endpoint: String?, region: String?
  ) -> BucketPlace? {
    let endpoint =
      endpoint ?? environment.variable("AWS_ENDPOINT_URL_S3")
      ?? environment.variable("AWS_ENDPOINT_URL")
    if let endpoint, !CloudAddress.isEndpoint(endpoint) { return nil }
    let config = try? section("AWS_CONFIG_FILE", ".aws/config", [name, "profile \(name)"])
    return BucketPlace(
      bucket: bucket, prefix: prefix,
      region: region ?? environment.variable("AWS_REGION")
        ?? environment.variable("AWS_DEFAULT_REGION") ?? config?["region"] ?? "us-east-1",
      endpoint: endpoint)
  }

  /// The values of a section of one of the shared files.
  private func section(
    _ variable: String, _ file: String, _ names: Set<String>
  ) throws(EventLogError) -> [String: String] {
    let text = try environment.text(of: file, orNamedBy: variable)
    var (values, isMeant): ([String: String], Bool) = ([:], false)
    for line in (text ?? "").split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line)
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        isMeant = names.contains(Self.trimmed(line.dropFirst().dropLast()))
      } else if isMeant, let equals = line.firstIndex(of: "=") {
        values[Self.trimmed(line[..<equals]).lowercased()] =
          Self.trimmed(line[line.index(after: equals)...])
      }
    }
    return values
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}
