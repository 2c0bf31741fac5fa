import EventLog
import EventLogRemotes

/// A page of a bucket's listing.
struct BucketPage {
  private(set) var objects: [StoredObject] = []
  let isLast: Bool

  private(set) var skipped = SkippedEntries()
  /// The number of entries without the prefix.
  private var outsideCount = 0

  /// - Throws: The failure of a response that isn't a listing of the prefix.
  init(_ response: HTTPResponse, prefix: String) throws(CloudFailure) {
    guard let root = XMLElement(parsing: response.body), root.name == "ListBucketResult" else {
      throw .unparsable(response)
    }
    isLast = root.child("IsTruncated")?.text != "true"
    let contents = root.all("Contents")
    for content in contents { add(content, prefix) }
    let isOtherPrefix = !contents.isEmpty && outsideCount == contents.count
    // The next page starts after the last object of this one.
    guard isOtherPrefix || !isLast && objects.isEmpty else { return }
    guard let reason = skipped.reason else { throw .malformed(response) }
    throw CloudFailure(.malformed, "its listing makes no sense: \(reason)")
  }

  private mutating func add(_ content: XMLElement, _ prefix: String) {
    let encodedKey = content.child("Key")?.text ?? ""
    let displayKey = SafeText.quote(encodedKey)
    // Some servers encode a space as `+`, as in HTML forms.
    guard let key = PercentEncoding.decode(encodedKey.replacing("+", with: "%20")) else {
      return skipped.add(displayKey, because: "has a name that isn't UTF-8")
    }
    guard key.utf8.starts(with: prefix.utf8), !key.isEmpty else {
      outsideCount += 1
      return skipped.add(displayKey, because: "is outside of \"\(SafeText.quote(prefix))\"")
    }
    guard key.utf8.count <= CloudLimits.nameBytesMax else {
      return skipped.add(displayKey, because: "has a name that is too long")
    }
    guard let byteCount = (content.child("Size")?.text).flatMap({ Int64($0) }), byteCount >= 0
    else {
      return skipped.add(displayKey, because: "has no size")
    }
    let name = String(Substring(key.utf8.dropFirst(prefix.utf8.count)))
    if !name.isEmpty { objects.append(StoredObject(name: name, byteCount: byteCount)) }
  }
}
