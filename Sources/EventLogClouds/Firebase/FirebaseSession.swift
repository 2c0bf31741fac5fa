import Synchronization

/// The current ID token, and when it is valid.
struct FirebaseSession: Sendable {
  /// The time before its expiry at which a token is renewed.
  private static let marginMilliseconds: Int64 = 300_000

  let token: IDToken
  /// The times at which the token is used, in milliseconds of the device's clock.
  private let validTimes: Range<Int64>

  init(_ tokens: FirebaseTokens, at now: Int64) {
    token = tokens.idToken
    let lifetime = tokens.lifetime * 1000
    validTimes = now..<now + lifetime - min(Self.marginMilliseconds, lifetime / 2)
  }

  /// Whether the token can be used. False if the clock was set back, because the token's age is
  /// then unknown.
  func isFresh(at now: Int64) -> Bool { validTimes.contains(now) }
}

/// The last token that a storage received.
final class LastToken: Sendable {
  private let token = Mutex<String?>(nil)

  var text: String? {
    get { token.withLock { $0 } }
    set { token.withLock { $0 = newValue } }
  }
}
