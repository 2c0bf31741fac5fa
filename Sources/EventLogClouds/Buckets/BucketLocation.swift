/// The location of objects in a bucket.
package struct BucketLocation: Sendable, Hashable {
  package let bucket: String
  package let prefix: String
  package let region: String
  /// The canonical endpoint, or nil for AWS.
  package let endpoint: String?

  package init(bucket: String, prefix: String, region: String, endpoint: String?) {
    (self.bucket, self.prefix, self.region) = (bucket, prefix, region)
    var server = endpoint
    if let endpoint {
      do throws(AddressError) { server = try ServerAddress(endpoint).url } catch {
        // Keep an invalid endpoint, because requests report it.
      }
    }
    self.endpoint = server == Self.server(of: region) ? nil : server
  }

  /// The location under a longer prefix.
  func nested(_ name: String) -> BucketLocation {
    BucketLocation(bucket: bucket, prefix: keyPrefix + name, region: region, endpoint: endpoint)
  }

  /// The URL of AWS's server for a region.
  private static func server(of region: String) -> String { "https://s3.\(region).amazonaws.com" }

  /// The complete canonical address.
  ///
  /// It identifies the remote in stored records, so it must not depend on environment variables: a
  /// bucket of the same name on another server is another remote.
  var address: String {
    let path = PercentEncoding.encode(shortPrefix, keeping: AddressPath.plain + "/")
    // Encode the characters that would end a value or the address.
    let plain = AddressPath.plain.filter { $0 != "&" } + "/"
    let parameters = [
      endpoint.map { "endpoint=" + PercentEncoding.encode($0, keeping: plain + "[]") },
      "region=" + PercentEncoding.encode(region, keeping: plain),
    ]
    return "s3://\(bucket)\(path.isEmpty ? "" : "/")\(path)?"
      + parameters.compactMap { $0 }.joined(separator: "&")
  }

  /// The prefix without its trailing slash, if that has the same meaning.
  private var shortPrefix: String {
    let short = String(keyPrefix.dropLast())
    return short.isEmpty || short.hasSuffix("/") ? keyPrefix : short
  }

  /// The common prefix of all keys.
  var keyPrefix: String { prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/" }

  /// The bucket's URL. A name with a dot goes into the path, because AWS's wildcard certificate
  /// doesn't match it in the host.
  var base: String {
    if let endpoint { return "\(endpoint)/\(PercentEncoding.encode(bucket))" }
    return bucket.contains(".")
      ? "\(Self.server(of: region))/\(bucket)"
      : "https://\(bucket).s3.\(region).amazonaws.com"
  }
}
