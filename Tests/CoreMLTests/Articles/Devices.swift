import CoreML

func onTheProcessor(_ url: URL, threads: Int) throws -> MLModel {
  let configuration = MLModelConfiguration()
  configuration.computeUnits = .cpuOnly
  configuration.threads = threads
  return try MLModel(contentsOf: url, configuration: configuration)
}

func gpus() -> [String] {
  MLModel.availableComputeDevices.compactMap { device in
    if case .gpu(let gpu) = device { gpu.name } else { nil }
  }
}

func dearestOperations(ofModelAt url: URL, count: Int) async throws -> [(name: String, share: Double, device: String)] {
  let plan = try await MLComputePlan.load(contentsOf: url)
  guard case .program(let program) = plan.modelStructure, let main = program.functions["main"] else { return [] }
  let told = main.block.operations.compactMap { operation in
    plan.deviceUsage(for: operation).map { usage in
      (operation.operatorName, plan.estimatedCost(of: operation)?.weight ?? 0, "\(usage.preferred)")
    }
  }
  return Array(told.sorted { $0.1 > $1.1 }.prefix(count))
}
