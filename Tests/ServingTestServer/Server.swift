import CoreMLServingHTTP
import Foundation

/// `serving-test-server [PORT]` serves the models of `FakeService` and prints its address. It ends when its standard
/// input does.
@main enum Server {
  static func main() async throws {
    var options = HTTPOptions()
    options.port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
    options.hasTritonMetrics = true
    let server = try HTTPFrontEnd(options, service: FakeService())
    let port = try await server.start()
    try FileHandle.standardOutput.write(contentsOf: Data("http://127.0.0.1:\(port)\n".utf8))
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        while readLine() != nil {}
        continuation.resume()
      }
    }
    await server.close()
  }
}
