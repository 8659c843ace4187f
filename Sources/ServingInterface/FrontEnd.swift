/// A protocol's sockets: what accepts connections and calls an `InferenceService`.
///
/// The order of the calls: `start`, `stopAccepting`, `drained`.
package protocol FrontEnd: Sendable {
  /// Binds and accepts connections. Returns when clients can connect; models may still be loading then.
  ///
  /// - Returns: the address for people, such as `http://127.0.0.1:8000`.
  /// - Throws: `unavailable` if the address cannot be bound.
  func start(_ service: any InferenceService) async throws(ServingError) -> String

  /// Accepts no new connections, and tells clients to close the open ones after their requests.
  func stopAccepting() async

  /// Waits until the connections have ended; closes those that are left after the time limit.
  func drained(within limit: Duration) async
}
