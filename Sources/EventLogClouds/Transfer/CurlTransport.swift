import CEventLogTransfer
import Dispatch

/// Sends requests by libcurl, which is opened when the first one is sent.
///
/// Connections are kept for the next request. Each request takes a thread while it is under way, so
/// one that waits holds up no other work.
package struct CurlTransport: HTTPTransport {
  /// The file with the certificates to trust; nil for those of the system.
  private let certificates: String?

  package init(certificates: String? = nil) { self.certificates = certificates }

  package func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    guard request.isSound else { throw .invalidRequest }
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
  ) -> Result<HTTPAnswer, HTTPFault> {
    let code = eventlog_transfer_perform(
      transfer, request.method, request.url, request.head, request.body, request.body.count,
      certificates, request.limits.forCurl)
    guard code == 0 else {
      if eventlog_transfer_is_too_long(transfer) != 0 { return .failure(.tooLong) }
      var message = [CChar](repeating: 0, count: 256)
      eventlog_transfer_copy_message(transfer, &message)
      let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      return .failure(HTTPFault(curl: code, text))
    }
    var head = [UInt8](repeating: 0, count: eventlog_transfer_head_count(transfer))
    eventlog_transfer_copy_head(transfer, &head)
    // libcurl takes a connection that ends inside a head for the end of the answer.
    guard head.isEndOfHead else { return .failure(.cut("The answer's head is not complete.")) }
    var body = [UInt8](repeating: 0, count: eventlog_transfer_body_count(transfer))
    eventlog_transfer_copy_body(transfer, &body)
    let answer = HTTPAnswer(
      status: eventlog_transfer_status(transfer), headers: HTTPHeader.read(head: head), body: body)
    // libcurl takes a length beyond all numbers for none.
    guard request.method == "HEAD" || answer.hasItsLength else {
      return .failure(.cut("The answer is not as long as it says."))
    }
    return .success(answer)
  }
}

extension HTTPRequest {
  /// The headers as libcurl takes them, a line each. A name alone leaves libcurl's own out.
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
  /// Whether the empty line is there that ends a head.
  fileprivate var isEndOfHead: Bool {
    suffix(2).elementsEqual([0x0A, 0x0A]) || suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
  }
}

extension HTTPLimits {
  fileprivate var forCurl: eventlog_limits {
    let idle = max(1, Int(idle / .seconds(1)))
    return eventlog_limits(
      connect_milliseconds: idle * 1000, idle_seconds: idle,
      whole_milliseconds: max(1, Int(whole / .milliseconds(1))), head_bytes: headBytes,
      body_bytes: bodyBytes)
  }
}

extension HTTPFault {
  /// What a number of libcurl means.
  ///
  /// The numbers are those of `CURLcode` in curl/curl.h, which never change.
  init(curl code: Int32, _ message: String) {
    switch code {
    // A scheme that this libcurl does not know, or a version of HTTP.
    case 1: self = message.hasPrefix("Protocol") ? .unavailable(message) : .senseless(message)
    case 3, 4: self = .invalidRequest
    case 2: self = .unavailable(message.isEmpty ? "Memory is full." : message)
    case 5, 6, 7: self = .unreachable(message)
    case 28: self = .timedOut
    case 35 where Self.isWithoutTLS(message): self = .unencrypted(message)
    case 42: self = .cancelled
    // Certificates that are wrong, or cannot be checked.
    case 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: self = .untrusted(message)
    // What it calls out of memory is a line of a head beyond its own limit.
    case 27, 63, 100: self = .tooLong
    case 8, 61: self = .senseless(message)
    default: self = .cut(message)
    }
  }
  /// Whether a server has answered a greeting of TLS with something else, in the words of OpenSSL
  /// and GnuTLS.
  private static func isWithoutTLS(_ message: String) -> Bool {
    ["wrong version number", "packet length too long", "unexpected TLS packet"].contains {
      message.contains($0)
    }
  }
}
