import EventLog
import Synchronization

/// Caches the signing key, which is the same for a whole day.
final class SigningKeys: Sendable {
  private let last = Mutex<(inputs: [String], key: [UInt8])?>(nil)

  /// Returns the key derived from a secret for a date, region and service.
  func key(_ secret: String, _ parts: [String]) -> [UInt8] {
    let inputs = [secret] + parts
    // `==` would also accept canonically equivalent inputs, whose keys differ.
    if let last = last.withLock({ $0 }), inputs.count == last.inputs.count,
      zip(inputs, last.inputs).allSatisfy({ $0.hasBytes(of: $1) })
    {
      return last.key
    }
    var key = Array("AWS4\(secret)".utf8)
    for part in parts { key = HMAC.code(Array(part.utf8), key: key) }
    last.withLock { $0 = (inputs, key) }
    return key
  }
}
