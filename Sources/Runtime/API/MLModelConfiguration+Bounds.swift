import MIL

extension MLModelConfiguration {
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
