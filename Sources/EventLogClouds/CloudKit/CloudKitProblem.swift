import EventLog

/// An error in a CloudKit response, about a request or one of its records.
struct CloudKitProblem: Sendable {
  static let key = "serverErrorCode"

  let code: String
  /// The code and the reason, without anything that may be a secret.
  let text: String
  let retryAfter: Duration?
  /// The name of the affected record, or nil for an error of the request.
  let record: String?

  /// Parses an error. Nil if the value contains none.
  init?(_ value: JSONValue) {
    guard case .string(let code)? = value[Self.key] else { return nil }
    self.code = code
    var text = SafeText.quote(CloudKitText.withoutSecrets(code))
    if case .string(let reason)? = value["reason"] {
      text += ", \"\(SafeText.quote(CloudKitText.withoutSecrets(reason)))\""
    }
    self.text = "it answered \(text)"
    if case .string(let name)? = value["recordName"] { record = name } else { record = nil }
    if case .number(let number)? = value["retryAfter"], number.double >= 0 {
      retryAfter = .milliseconds(Int64(min(number.double, 86_400) * 1000))
    } else {
      retryAfter = nil
    }
  }

  /// Whether the error affects the whole request, so that it is retried or fails.
  var affectsWholeRequest: Bool {
    // A conflict affects one record, and a retry would fail again.
    code != "CONFLICT"
      && [.transient, .unauthenticated].contains(ResponseClass(status: 200, code: code))
  }

  /// Returns the error of a request, or of one of its records.
  ///
  /// - Parameter isCreating: Whether the record was being created. A conflict then means that it
  ///   exists.
  func error(isCreating: Bool = false) -> CloudKitError {
    let reason: CloudKitError.Reason =
      switch code {
      case "CONFLICT": isCreating ? .exists : .tryAgain
      case "ATOMIC_ERROR": .atomicFailure
      case "NOT_FOUND", "UNKNOWN_ITEM": .notFound
      case "ZONE_NOT_FOUND": .zoneMissing
      default:
        CloudKitError(CloudFailure(ResponseClass(status: 400, code: code), text)).reason
      }
    return CloudKitError(reason, text, retryAfter: retryAfter)
  }
}

extension JSONValue {
  /// The elements of an array member, or an empty array for any other value.
  func list(_ name: String) -> [JSONValue] {
    if case .array(let values)? = self[name] { values } else { [] }
  }
}
