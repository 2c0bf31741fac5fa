// A list without duplicates, fast enough for debug builds.

/// Distinct file contents, in order of insertion.
struct DistinctImages {
  /// Hashes the bytes as one buffer, because debug builds are too slow to hash each element.
  private struct Key: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private let limit: Int
  private var keys: Set<Key> = []
  private(set) var all: [[UInt8]] = []

  init(limit: Int) {
    self.limit = limit
  }

  var isFull: Bool {
    all.count >= limit
  }

  /// Appends the image and returns true, unless the list is full or contains it.
  @discardableResult
  mutating func insert(_ image: [UInt8]) -> Bool {
    guard !isFull, keys.insert(Key(bytes: image)).inserted else { return false }
    all.append(image)
    return true
  }
}
