import Synchronization

/// A second engine for the same function that leaves the accelerator alone, made when it is first asked for.
final class EngineOnCPU: Sendable {
  private let made = Mutex<Engine?>(nil)

  /// `engine` itself where the CPU is all it has.
  func engine(like engine: Engine) -> Engine {
    guard engine.devices.context != nil else { return engine }
    return made.withLock { made in
      if let made { return made }
      let choice = DeviceChoice(threads: engine.devices.threads, allowsFusion: engine.devices.allowsFusion)
      let fresh = engine.budget.during { Engine(function: engine.function, devices: choice) }
      made = fresh
      return fresh
    }
  }
}
