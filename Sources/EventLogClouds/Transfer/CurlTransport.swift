import CEventLogTransfer
import Dispatch

/// Sends requests with libcurl, which is loaded for the first request.
///
/// Connections are reused. A request blocks a thread of Dispatch, and none of Swift's cooperative
/// pool.
package struct CurlTransport: HTTPTransport {
  /// The path of a file with the trusted certificates, or nil for those of the system.
  private let certificates: String?

  package init(certificates: String? = nil) { self.certificates = certificates }

  package func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    guard request.isValid else { throw .invalidRequest }
    if let reason = eventlog_transfer_unavailable() { throw .unavailable(String(cString: reason)) }
    let transfer = eventlog_transfer_open()
    guard transfer != 0 else { throw .unavailable("Memory is full.") }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let result = exchange(request, by: transfer)
          eventlog_transfer_close(transfer)
          continuation.resume(returning: result)
        }
      }
    } onCancel: {
      eventlog_transfer_cancel(transfer)
    }
    return try result.get()
  }

  private func exchange(
    _ request: HTTPRequest, by transfer: UInt64
  ) -> Result<HTTPResponse, HTTPFault> {
    let code = eventlog_transfer_perform(
      transfer, request.method, request.url, request.head, request.body, request.body.count,
      certificates, request.limitsForCurl)
    guard code == 0 else {
      if eventlog_transfer_is_too_long(transfer) != 0 { return .failure(.tooLarge) }
      if eventlog_transfer_is_silent(transfer) != 0 { return .failure(.timedOut) }
      var message = [CChar](repeating: 0, count: 256)
      eventlog_transfer_copy_message(transfer, &message)
      let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      return .failure(HTTPFault(curl: code, text))
    }
    var head = [UInt8](repeating: 0, count: eventlog_transfer_head_count(transfer))
    eventlog_transfer_copy_head(transfer, &head)
    // If a connection ends inside the head, libcurl reports a complete response.
    guard head.isEndOfHead else {
      return .failure(.connectionLost("The answer's head is not complete."))
    }
    var body = [UInt8](repeating: 0, count: eventlog_transfer_body_count(transfer))
    eventlog_transfer_copy_body(transfer, &body)
    let response = HTTPResponse(
      status: eventlog_transfer_status(transfer), headers: HTTPHeader.read(head: head), body: body)
    // libcurl ignores a length that overflows its integers.
    guard request.method == "HEAD" || response.hasDeclaredLength else {
      return .failure(.connectionLost("The answer is not as long as it says."))
    }
    return .success(response)
  }
}

extension HTTPRequest {
  /// The headers in libcurl's syntax, one per line.
  ///
  /// A name followed by only a colon suppresses libcurl's default for the header.
  fileprivate var head: String {
    let own = headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    var implied = ["Expect:"]
    if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      implied.append("Content-Type:")
    }
    return (own + implied).joined(separator: "\n")
  }
}

extension [UInt8] {
  /// Whether the bytes end with an empty line, like a complete head.
  fileprivate var isEndOfHead: Bool {
    suffix(2).elementsEqual([0x0A, 0x0A]) || suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
  }
}

extension HTTPRequest {
  fileprivate var limitsForCurl: eventlog_limits {
    eventlog_limits(
      idle_milliseconds: max(1, Int(idleTimeout / .milliseconds(1))),
      whole_milliseconds: max(1, Int(totalTimeout / .milliseconds(1))),
      head_bytes: limits.headBytes, body_bytes: limits.bodyBytes)
  }
}

extension HTTPFault {
  /// Converts an error code of libcurl.
  ///
  /// The codes are those of `CURLcode` in `curl/curl.h`. They never change.
  init(curl code: Int32, _ message: String) {
    switch code {
    // An unsupported scheme, or an unsupported version of HTTP.
    case 1: self = message.hasPrefix("Protocol") ? .unavailable(message) : .malformed(message)
    case 3, 4: self = .invalidRequest
    case 2: self = .unavailable(message.isEmpty ? "Memory is full." : message)
    case 5, 6, 7: self = .unreachable(message)
    case 28: self = .timedOut
    case 35 where Self.isWithoutTLS(message): self = .unencrypted(message)
    case 42: self = .canceled
    // Certificates that are invalid, or can't be verified.
    case 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: self = .untrusted(message)
    // libcurl reports a header beyond its own limit as out of memory (27).
    case 27, 63, 100: self = .tooLarge
    case 8, 61: self = .malformed(message)
    default: self = .connectionLost(message)
    }
  }
  /// Whether an error message of OpenSSL or GnuTLS means that the server's response wasn't TLS.
  private static func isWithoutTLS(_ message: String) -> Bool {
    ["wrong version number", "packet length too long", "unexpected TLS packet"].contains {
      message.contains($0)
    }
  }
}
