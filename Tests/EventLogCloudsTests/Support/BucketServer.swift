import EventLog
import EventLogClouds
import Foundation
import Synchronization

/// An in-memory S3 server with one bucket.
final class BucketServer: HTTPTransport {
  private let state = Mutex<[String: [UInt8]]>([:])
  private let pageCount: Int

  init(pageCount: Int = 1000) { self.pageCount = pageCount }

  /// The contents of the objects below `ada/`, by name.
  var objects: [String: [UInt8]] {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    let url = request.url.removingPercentEncoding ?? ""
    if url.contains("list-type=2") { return page(after: url.split(separator: "start-after=ada/")) }
    let name = String(url.split(separator: "/").last ?? "")
    return state.withLock { objects in
      switch request.method {
      case "PUT":
        guard objects[name] == nil else { return Self.error(412, "PreconditionFailed") }
        objects[name] = request.body
        return HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"a\"")])
      case "DELETE":
        objects[name] = nil
        return HTTPResponse(status: 204)
      default:
        return objects[name].map { HTTPResponse(status: 200, body: $0) }
          ?? Self.error(404, "NoSuchKey")
      }
    }
  }

  /// - Parameter parts: The URL, and the name after which the page begins.
  private func page(after parts: [Substring]) -> HTTPResponse {
    let objects = objects
    let last = parts.count > 1 ? String(parts[1]) : ""
    let names = objects.keys.sorted { $0.precedes($1) }.filter { last.precedes($0) }
    let text = names.prefix(pageCount).reduce(into: "<ListBucketResult>") { text, name in
      text += "<Contents><Key>ada/\(name)</Key><Size>\(objects[name]!.count)</Size></Contents>"
    }
    return HTTPResponse(
      status: 200,
      text: text + "<IsTruncated>\(names.count > pageCount)</IsTruncated></ListBucketResult>")
  }

  static func error(_ status: Int, _ code: String) -> HTTPResponse {
    HTTPResponse(status: status, text: "<Error><Code>\(code)</Code></Error>")
  }
}
