import Foundation
import Synchronization

/// A server on this machine that sends fixed bytes, in pieces, to each connection.
///
/// It isn't an HTTP server: it reads a request, and sends the bytes, whether or not they are a
/// valid response.
final class LoopbackServer: Sendable {
  /// The response to a connection.
  enum Reply: Sendable {
    /// The pieces in order, then the end.
    case bytes([[UInt8]])
    /// The bytes repeatedly, with pauses, until the client disconnects.
    case endless([UInt8], milliseconds: UInt32)
    /// Nothing, until the client disconnects.
    case silence
  }

  let port: UInt16
  private let listener: Int32
  private let reply: Mutex<Reply>
  private let sent = Mutex(0)
  private let heads = Mutex<[String]>([])
  private let isStopped = Mutex(false)

  /// The heads of the requests so far.
  var requests: [String] { heads.withLock { $0 } }
  var url: String { "http://127.0.0.1:\(port)/" }
  /// The number of bytes that clients or system buffers have received.
  var sentCount: Int { sent.withLock { $0 } }

  /// Sets the response to later connections.
  func respond(with reply: Reply) { self.reply.withLock { $0 = reply } }

  convenience init(_ text: String) throws { try self.init(.bytes([Array(text.utf8)])) }

  init(_ reply: Reply) throws {
    self.reply = Mutex(reply)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    Thread { [self] in accept() }.start()
  }

  /// Stops accepting connections.
  func stop() {
    // Shut down only once, because another socket may get the same descriptor afterwards.
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  private func accept() {
    while true {
      let connection = Foundation.accept(listener, nil, nil)
      if connection < 0 { break }
      Thread { [self] in serve(connection) }.start()
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = Array("\r\n\r\n".utf8)
    while head.firstRange(of: end) == nil {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      head += buffer[..<count]
    }
    guard let endOfHead = head.firstRange(of: end)?.upperBound else { return }
    // Read the whole request: unread data resets a connection when it is closed.
    let text = String(decoding: head[..<endOfHead], as: UTF8.self)
    var rest = Self.contentLength(text) - (head.count - endOfHead)
    while rest > 0 {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      rest -= count
    }
    heads.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
    switch reply.withLock({ $0 }) {
    case .bytes(let pieces):
      for piece in pieces where !send(piece, connection) { return }
    case .endless(let bytes, let pause):
      while send(bytes, connection) { usleep(pause * 1000) }
    case .silence:
      while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }
  }

  private static func contentLength(_ head: String) -> Int {
    let line = head.split(separator: "\r\n").first {
      $0.lowercased().hasPrefix("content-length:")
    }
    return line?.split(separator: ":").last.flatMap {
      Int($0.trimmingCharacters(in: .whitespaces))
    } ?? 0
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
      self.sent.withLock { $0 += count }
    }
    return true
  }
}
