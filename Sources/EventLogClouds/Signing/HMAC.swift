import EventLog

/// HMAC with SHA-256, as in RFC 2104.
enum HMAC {
  /// Returns the authentication code of a message: 32 bytes.
  static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > SHA256.blockCount ? SHA256.digest(key) : key
    block += [UInt8](repeating: 0, count: SHA256.blockCount - block.count)
    let inner = SHA256.digest(block.map { $0 ^ 0x36 } + message)
    return SHA256.digest(block.map { $0 ^ 0x5C } + inner)
  }
}

/// Returns bytes in lowercase hexadecimal.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
