import Synchronization

/// The last ID token, with the time range in which it is used.
struct FirebaseSession: Sendable {
  /// How long before expiry a token is renewed.
  private static let marginMilliseconds: Int64 = 300_000

  let token: IDToken
  /// In milliseconds of the device's clock.
  private let validTimes: Range<Int64>

  init(_ tokens: FirebaseTokens, at now: Int64) {
    token = tokens.idToken
    let lifetime = tokens.lifetime * 1000
    validTimes = now..<now + lifetime - min(Self.marginMilliseconds, lifetime / 2)
  }

  /// False if the clock was set back, since the token's age is then unknown.
  func isFresh(at now: Int64) -> Bool { validTimes.contains(now) }
}

/// The last token that was given to a storage.
final class LastToken: Sendable {
  private let token = Mutex<String?>(nil)

  var text: String? {
    get { token.withLock { $0 } }
    set { token.withLock { $0 = newValue } }
  }
}
