import EventLog

/// The credentials and settings that AWS's tools use: environment variables and shared files.
struct AWSProfile: Sendable {
  private let environment: CloudEnvironment

  init(_ environment: CloudEnvironment) { self.environment = environment }

  private var name: String { environment.variable("AWS_PROFILE") ?? "default" }

  /// - Throws: `usage` if there are none.
  func credentials() throws(EventLogError) -> BucketCredentials {
    if let id = environment.variable("AWS_ACCESS_KEY_ID"),
      let secret = environment.variable("AWS_SECRET_ACCESS_KEY")
    {
      return BucketCredentials(
        accessKeyID: id, secretAccessKey: secret,
        sessionToken: environment.variable("AWS_SESSION_TOKEN"))
    }
    let text = try environment.text(
      of: ".aws/credentials", overriddenBy: "AWS_SHARED_CREDENTIALS_FILE")
    let values = Self.section([name], of: text)
    guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
    else {
      throw EventLogError(
        .usage, "There are no AWS credentials for the profile \"\(SafeText.quote(name))\".",
        hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials.")
    }
    return BucketCredentials(
      accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
  }

  /// Returns the location of a bucket.
  ///
  /// - Parameter isCanonical: Whether an address without an endpoint means AWS even if the
  ///   environment names another one.
  /// - Throws: `usage` if the endpoint in the environment isn't a valid address; the error of a
  ///   file that can't be read.
  func location(
    bucket: String, prefix: String, endpoint: String?, region: String?, isCanonical: Bool = false
  ) throws(EventLogError) -> BucketLocation {
    var endpoint = endpoint
    if endpoint == nil, !isCanonical { endpoint = try environmentEndpoint() }
    var region =
      region ?? environment.variable("AWS_REGION") ?? environment.variable("AWS_DEFAULT_REGION")
    if region == nil {
      let text = try environment.settings(of: ".aws/config", overriddenBy: "AWS_CONFIG_FILE")
      region = Self.section([name, "profile \(name)"], of: text)["region"]
    }
    return BucketLocation(
      bucket: bucket, prefix: prefix, region: region ?? "us-east-1", endpoint: endpoint)
  }

  private func environmentEndpoint() throws(EventLogError) -> String? {
    for name in ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"] {
      guard let endpoint = environment.variable(name) else { continue }
      guard let error = CloudAddress.endpointError(endpoint) else { return endpoint }
      throw EventLogError(
        .usage, "\(name) \(error.predicate). Nothing was changed.", hint: error.hint)
    }
    return nil
  }

  /// Returns the values of some sections of a shared file.
  private static func section(_ names: Set<String>, of text: String?) -> [String: String] {
    var (values, isSelected): ([String: String], Bool) = ([:], false)
    for line in (text ?? "").split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        isSelected = names.contains(trimmed(line.dropFirst().dropLast()))
      } else if isSelected, let equals = line.firstIndex(of: "=") {
        values[trimmed(line[..<equals]).lowercased()] =
          trimmed(line[line.index(after: equals)...])
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
