import EventLog
import EventLogClouds
import Foundation
import Synchronization

/// An in-memory WebDAV server with one folder.
final class WebDAVServer: HTTPTransport {
  private struct State {
    var exists = false
    var objects: [String: [UInt8]] = [:]
    /// The files that were moved to paths outside the folder.
    var otherFolder: [String: [UInt8]] = [:]
    var day = 28
  }

  /// The folder's path in listings.
  private let listedPath: String
  /// Whether a proxy rewrites the folder's path, but not the destinations of moves.
  private let isBehindProxy: Bool
  /// Whether a `PUT` respects `If-None-Match`.
  private let supportsConditions: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: The folder's path in requests.
  ///   - listedPath: The folder's path in listings: another spelling of it, or that of a proxy.
  init(path: String = "/ada/", listedPath: String = "/ada/", supportsConditions: Bool = true) {
    (self.listedPath, self.supportsConditions) = (listedPath, supportsConditions)
    isBehindProxy = path.removingPercentEncoding != listedPath.removingPercentEncoding
  }

  var objects: [String: [UInt8]] {
    get { state.withLock(\.objects) }
    set { state.withLock { ($0.objects, $0.exists) = (newValue, true) } }
  }
  var otherFolder: [String: [UInt8]] { state.withLock(\.otherFolder) }
  var exists: Bool { state.withLock(\.exists) }

  /// Advances the server's date, so that all files are two days old.
  func advanceTwoDays() { state.withLock { $0.day += 2 } }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    state.withLock { response(request, &$0) }
  }

  private func response(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
    let name = Self.name(request.url)
    if request.method == "MKCOL" {
      defer { state.exists = true }
      return HTTPResponse(status: state.exists ? 405 : 201)
    }
    guard state.exists else { return HTTPResponse(status: request.method == "PUT" ? 409 : 404) }
    let old = state.objects[name]
    switch request.method {
    case "PROPFIND": return listing(state)
    case "PUT":
      let isConditional = request.headers.contains { $0.name == "If-None-Match" }
      if isConditional, supportsConditions, old != nil { return HTTPResponse(status: 412) }
      state.objects[name] = request.body
      return HTTPResponse(status: old == nil ? 201 : 204)
    case "MOVE":
      let destination = request.headers.first { $0.name == "Destination" }?.value ?? ""
      guard let old else { return HTTPResponse(status: 404) }
      let target = Self.name(destination)
      if isBehindProxy {
        state.otherFolder[target] = state.objects.removeValue(forKey: name)
        return HTTPResponse(status: 201)
      }
      guard state.objects[target] == nil else { return HTTPResponse(status: 412) }
      state.objects[name] = nil
      state.objects[target] = old
      return HTTPResponse(status: 201)
    case "DELETE":
      state.objects[name] = nil
      return HTTPResponse(status: old == nil ? 404 : 204)
    default: return old.map { HTTPResponse(status: 200, body: $0) } ?? HTTPResponse(status: 404)
    }
  }

  private static func name(_ url: String) -> String {
    let path = url.removingPercentEncoding ?? ""
    return path.hasSuffix("/") ? "" : String(path.split(separator: "/").last ?? "")
  }

  private func listing(_ state: State) -> HTTPResponse {
    let objects = state.objects
    let files = objects.keys.sorted().map {
      Self.entry(listedPath + $0, "<d:getcontentlength>\(objects[$0]!.count)</d:getcontentlength>")
    }
    return Self.listing([Self.folder(listedPath)] + files, day: state.day)
  }

  // MARK: - Listings

  static func listing(_ entries: [String], day: Int = 28) -> HTTPResponse {
    HTTPResponse(
      status: 207, headers: [HTTPHeader("Date", "Wed, \(day) Jan 2026 09:00:00 GMT")],
      text: "<d:multistatus xmlns:d=\"DAV:\">\(entries.joined())</d:multistatus>")
  }

  static func folder(_ path: String) -> String {
    entry(path, "<d:resourcetype><d:collection/></d:resourcetype>")
  }

  /// An entry with some properties, and the missing length in a `propstat` of its own, as servers
  /// send it.
  static func entry(_ path: String, _ properties: String) -> String {
    "<d:response><d:href>\(path)</d:href><d:propstat><d:prop><d:getcontentlength/></d:prop>"
      + "<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat><d:propstat><d:prop>"
      + "<d:getlastmodified>Wed, 28 Jan 2026 09:00:00 GMT</d:getlastmodified>"
      + properties + "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
  }
}
