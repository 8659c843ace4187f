import Synchronization

/// A second engine for the same function that leaves the accelerator alone, made when it is first asked for.
package final class EngineOnCPU: Sendable {
  private let made = Mutex<Engine?>(nil)

  package init() {}

  /// `engine` itself where the CPU is all it has.
  package func engine(like engine: Engine) -> Engine {
    guard !engine.devices.isOnCPU else { return engine }
    return made.withLock { made in
      if let made { return made }
      let choice = DeviceChoice(threads: engine.devices.threads, allowsFusion: engine.devices.allowsFusion)
      let fresh = engine.budget.during {
        Engine(function: engine.function, devices: choice, weights: engine.weights)
      }
      made = fresh
      return fresh
    }
  }
}
