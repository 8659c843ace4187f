import Foundation

/// Connects, sends a text at once, and returns what the server sends until it closes the connection.
///
/// The exchange has a thread of its own, so that no other test comes between its steps. Tests of time limits need that.
func exchange(_ port: Int, _ text: String) async -> String {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: blockingExchange(port, Array(text.utf8))) }
  }
}

private func blockingExchange(_ port: Int, _ bytes: [UInt8]) -> String {
  let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(socket) }
  var patience = timeval(tv_sec: 600, tv_usec: 0)
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  let status = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0, bytes.isEmpty || send(socket, bytes, bytes.count, 0) == bytes.count else { return "not sent" }
  var received: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = recv(socket, &piece, piece.count, 0)
    guard count >= 0 else { return "not closed" }
    if count == 0 { return String(decoding: received, as: UTF8.self) }
    received += piece[..<count]
  }
}
