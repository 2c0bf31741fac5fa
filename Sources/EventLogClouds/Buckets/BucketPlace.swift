/// Where objects of a bucket are.
package struct BucketPlace: Sendable, Hashable {
  package let bucket: String
  package let prefix: String
  package let region: String
  /// In its one spelling; nil for AWS.
  package let endpoint: String?

  package init(bucket: String, prefix: String, region: String, endpoint: String?) {
    (self.bucket, self.prefix, self.region) = (bucket, prefix, region)
    var server = endpoint
    if let endpoint {
      do throws(AddressFlaw) { server = try ServerAddress(endpoint).url } catch {
        // Requests fail, and say so.
      }
    }
    self.endpoint = server == Self.server(of: region) ? nil : server
  }

  /// AWS's server in a region.
  private static func server(of region: String) -> String { "https://s3.\(region).amazonaws.com" }

  /// All that is needed to reach the place, in one spelling: what is remembered of it must not
  /// depend on variables. The bucket of another server is another place.
  var address: String {
    let path = PercentEncoding.encode(shortPrefix, keeping: AddressPath.plain + "/")
    // What would end a value, or the address, is encoded.
    let plain = AddressPath.plain.filter { $0 != "&" } + "/"
    let parameters = [
      endpoint.map { "endpoint=" + PercentEncoding.encode($0, keeping: plain + "[]") },
      "region=" + PercentEncoding.encode(region, keeping: plain),
    ]
    return "s3://\(bucket)\(path.isEmpty ? "" : "/")\(path)?"
      + parameters.compactMap { $0 }.joined(separator: "&")
  }

  /// The prefix without a slash at its end, if that means the same.
  private var shortPrefix: String {
    let short = String(keyPrefix.dropLast())
    return short.isEmpty || short.hasSuffix("/") ? keyPrefix : short
  }

  /// What all keys begin with.
  var keyPrefix: String { prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/" }

  /// A name with a dot fits no certificate of the form that names the bucket as a host.
  var base: String {
    if let endpoint { return "\(endpoint)/\(PercentEncoding.encode(bucket))" }
    return bucket.contains(".")
      ? "\(Self.server(of: region))/\(bucket)"
      : "https://\(bucket).s3.\(region).amazonaws.com"
  }
}
