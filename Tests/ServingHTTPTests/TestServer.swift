import CoreMLServingInterface
import Logging
import Synchronization
import Testing

@testable import CoreMLServingHTTP

/// Runs a server on a port of the system's choice. Its times are so long that a test may wait for a processor: among
/// thousands of tests, minutes may pass between two of its steps.
func withServer(
  _ change: (inout HTTPOptions) -> Void = { _ in },
  _ body: (_ port: Int, _ service: FakeService, _ server: HTTPFrontEnd) async throws -> Void
) async throws {
  var options = HTTPOptions()
  options.port = 0
  (options.limits.headTime, options.limits.idleTime, options.limits.slowestRate) = (
    .seconds(36_000), .seconds(36_000), 1
  )
  change(&options)
  let service = FakeService()
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let server = try HTTPFrontEnd(options, service: service, logger: logger)
  let port = try await server.start()
  do { try await body(port, service, server) } catch {
    await server.close()
    throw error
  }
  await server.close()
}

/// A server and one connection to it.
func withClient(
  _ change: (inout HTTPOptions) -> Void = { _ in }, _ body: (RawClient, FakeService) async throws -> Void
) async throws {
  try await withServer(change) { port, service, _ in
    let client = try await RawClient.connect(port)
    try await body(client, service)
    await client.close()
  }
}

/// Waits for a condition that another task makes true.
func eventually(_ condition: () -> Bool) async throws {
  for _ in 0..<6000 where !condition() { try await Task.sleep(for: .milliseconds(20)) }
  #expect(condition())
}

enum Bodies {
  static let json = #"{"id":"7","inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2.5]}]}"#

  /// A head and its tensor of this many floats, all 1.
  static func binary(_ count: Int, output: Bool = true, more: String = "") -> (head: String, body: [UInt8]) {
    let head =
      #"{"inputs":[{"name":"x","datatype":"FP32","shape":[\#(count)],"parameters":{"binary_data_size":\#(count * 4)}}],"parameters":{"binary_data_output":\#(output)\#(more)}}"#
    return (head, Array(head.utf8) + (0..<count).flatMap { _ in [UInt8](arrayLiteral: 0, 0, 128, 63) })
  }
}
