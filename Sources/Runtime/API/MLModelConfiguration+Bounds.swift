import CoreMLBase
import MIL

extension MLModelConfiguration {
  /// Parses a size such as `512M` or `2G` and returns bytes; nil for anything else.
  package static func memorySize(_ text: String) -> Int? { MemorySize.bytes(text) }

  /// The bytes that all models of the process may use at one time. This is the process's memory limit if there is one,
  /// otherwise the memory of the machine and the control group.
  package static var memoryOfModels: Int { MemoryBudget.machine.limit }

  /// The limits and memory budget of a model loaded with this configuration: its own, or the process's.
  ///
  /// - Throws: `MILError` if an environment variable has an invalid limit.
  func bounds() throws -> ModelLoadBounds {
    var limits = try limits ?? .inForce()
    limits.modelMemory = memoryLimit ?? limits.modelMemory
    return ModelLoadBounds(limits: limits, budget: limits.modelMemory.map { MemoryBudget(limit: $0) } ?? .current)
  }
}

/// The limits and the memory budget of one model.
struct ModelLoadBounds {
  let limits: RuntimeLimits
  let budget: MemoryBudget

  /// Runs code that loads or inspects the model.
  func loading<Result>(_ what: String = "loading the model", _ body: () throws -> Result) throws -> Result {
    try budget.during { try limits.loading(what, body) }
  }
}
