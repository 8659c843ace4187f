import CoreMLServingInterface
import Logging

/// The run of a server process, from the start of its front ends to the end of the drain.
package struct ServerRun: Sendable {
  /// How long the server goes on accepting after it has stopped being ready, so that load balancers notice.
  package var lameDuck = Duration.seconds(5)
  /// How long accepted requests may take after that.
  package var grace = Duration.seconds(25)
  private let server: ModelServer
  private let frontEnds: [any FrontEnd]
  private let logger: Logger

  package init(_ server: ModelServer, frontEnds: [any FrontEnd], logger: Logger) {
    (self.server, self.frontEnds, self.logger) = (server, frontEnds, logger)
  }

  /// Runs until `ending` returns.
  ///
  /// - Parameter ending: waits for the order to end, such as a signal.
  /// - Returns: whether all accepted requests were answered.
  package func callAsFunction(until ending: @escaping @Sendable () async -> Void) async throws(ServingError) -> Bool {
    for frontEnd in frontEnds {
      let address = try await frontEnd.start(server)
      logger.info("The server listens at \(address).")
    }
    let start = ContinuousClock.now
    // A signal during the loads must be obeyed, too.
    let loads = Task {
      await server.start()
      let ready = server.index(readyOnly: true).count
      logger.info("\(ready) models are ready after \((ContinuousClock.now - start).milliseconds).")
    }
    await ending()
    server.beginDraining()
    loads.cancel()
    if lameDuck > .zero, !frontEnds.isEmpty {
      logger.info("The server is not ready any more. It accepts requests for \(lameDuck.inSeconds) s.")
      try? await Task.sleep(for: lameDuck)
    }
    let end = ContinuousClock.now + grace
    for frontEnd in frontEnds { await frontEnd.stopAccepting() }
    let isComplete = await server.drained(within: grace)
    for frontEnd in frontEnds { await frontEnd.drained(within: max(end - .now, .zero)) }
    if !isComplete { logger.warning("Requests were cancelled, since they took longer than \(grace.inSeconds) s.") }
    return isComplete
  }
}
