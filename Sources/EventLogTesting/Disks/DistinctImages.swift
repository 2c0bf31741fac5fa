// A list that takes nothing twice, quick enough for debug builds.

/// Images without repetition, in the order they came.
struct DistinctImages {
  /// The bytes, hashed as one piece of memory: element by element, tests would wait for it.
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

  /// Takes the image and returns true, unless it is full or has the image.
  @discardableResult
  mutating func insert(_ image: [UInt8]) -> Bool {
    guard !isFull, keys.insert(Key(bytes: image)).inserted else { return false }
    all.append(image)
    return true
  }
}
