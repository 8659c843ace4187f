import MIL

extension MLModelConfiguration {
  /// The bytes of a size as people write it (`512M`, `2G`); nil for anything else.
  package static func memorySize(_ text: String) -> Int? { MemorySize.bytes(text) }

  /// Bytes that all models of the process may hold at one time: `COREML_MEMORY_LIMIT`, or what the machine and the control group have.
  package static var memoryOfModels: Int { MemoryBudget.machine.limit }

  /// The budget of a model that is loaded so: one of its own, or the process's.
  ///
  /// - Throws: `MILError` for an environment whose limit is no size.
  func budget() throws -> MemoryBudget {
    _ = try MemorySize.ofEnvironment()
    return memoryLimit.map { MemoryBudget(limit: $0) } ?? .current
  }
}
