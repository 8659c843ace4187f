import CoreMLBase
import MIL

extension MLModelConfiguration {
  /// The bytes of a size as people write it (`512M`, `2G`); nil for anything else.
  package static func memorySize(_ text: String) -> Int? { MemorySize.bytes(text) }

  /// Bytes that all models of the process may hold at one time: the limit of its memory, or what the machine and the control group have.
  package static var memoryOfModels: Int { MemoryBudget.machine.limit }

  /// What bounds the work of a model that is loaded so: its own limits and memory, or the process's.
  ///
  /// - Throws: `MILError` for an environment that sets what is no limit.
  func bounds() throws -> ModelLoadBounds {
    var limits = try limits ?? .inForce()
    limits.modelMemory = memoryLimit ?? limits.modelMemory
    return ModelLoadBounds(limits: limits, budget: limits.modelMemory.map { MemoryBudget(limit: $0) } ?? .current)
  }
}

/// The limits and the memory of one model.
struct ModelLoadBounds {
  let limits: RuntimeLimits
  let budget: MemoryBudget

  /// Runs what loads or inspects the model.
  func loading<Result>(_ what: String = "loading the model", _ body: () throws -> Result) throws -> Result {
    try budget.during { try limits.loading(what, body) }
  }
}
