import Synchronization

/// A second engine for the same function that does not use accelerators. It is created at the first request.
final class EngineOnCPU: Sendable {
  private let made = Mutex<Engine?>(nil)

  /// Returns `engine` itself if the CPU is its only device.
  func engine(like engine: Engine) -> Engine {
    guard !engine.devices.isOnCPU else { return engine }
    return made.withLock { made in
      if let made { return made }
      let fresh = engine.budget.during {
        Engine(
          function: engine.function, devices: engine.devices.hostOnly, weights: engine.weights,
          sessionLimit: engine.sessionLimit)
      }
      made = fresh
      return fresh
    }
  }
}
