import Synchronization

/// A second engine for the same function that leaves accelerators alone, made when it is first asked for.
final class EngineOnCPU: Sendable {
  private let made = Mutex<Engine?>(nil)

  /// `engine` itself where the CPU is all it has.
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
