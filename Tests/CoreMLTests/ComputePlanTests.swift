import CoreML
import Testing

/// Devices, structures and plans, as tools for Apple's framework query them.
@Suite struct ComputePlanTests {
  private static func compiled(_ path: String) throws -> URL {
    try MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: path))
  }

  private static func release(_ url: URL) { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  @Test func theProcessorIsADevice() {
    let devices = MLModel.availableComputeDevices
    guard case .cpu(let cpu)? = devices.first else {
      Issue.record("the first device is no processor: \(devices)")
      return
    }
    #expect(cpu.coreCount > 0 && devices == MLComputeDevice.allComputeDevices)
    #expect(MLAllComputeDevices().count == devices.count && MLAllComputeDevices().first is MLCPUComputeDevice)
    #expect(Set(devices).count == devices.count)
    for case .neuralEngine in devices { Issue.record("there is a Neural Engine") }
  }

  @Test func aNetworkHasTheLayersOfItsFile() async throws {
    let url = try Self.compiled("digits/Digits.mlmodel")
    defer { Self.release(url) }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let plan = try await MLComputePlan.load(contentsOf: url, configuration: configuration)
    guard case .neuralNetwork(let network) = plan.modelStructure else {
      Issue.record("the structure is \(plan.modelStructure)")
      return
    }
    #expect(network.layers.count == 8)
    #expect(Set(network.layers.map(\.type)).isSuperset(of: ["convolution", "innerProduct", "softmax", "pooling"]))
    var weight = 0.0
    for layer in network.layers {
      guard let usage = plan.deviceUsage(for: layer), let cost = plan.estimatedCost(of: layer) else { continue }
      #expect(usage.preferred == usage.supported.first && !usage.kernel.isEmpty)
      weight += cost.weight
    }
    #expect(weight > 0.5 && weight < 1.001, "the layers cost \(weight) of a prediction")
    let convolution = try #require(network.layers.first { $0.type == "convolution" })
    #expect(plan.deviceUsage(for: convolution) != nil && (plan.estimatedCost(of: convolution)?.weight ?? 0) > 0)
    #expect(convolution.inputNames == ["image"])
  }

  @Test func aProgramHasItsOperations() async throws {
    let url = try Self.compiled("models/states/loop.mlpackage")
    defer { Self.release(url) }
    let plan = try await MLComputePlan.load(contentsOf: url)
    guard case .program(let program) = plan.modelStructure, let main = program.functions.values.first else {
      Issue.record("the structure is \(plan.modelStructure)")
      return
    }
    let costs = main.block.operations.compactMap { plan.estimatedCost(of: $0)?.weight }
    #expect(!costs.isEmpty && costs.allSatisfy { (0...1).contains($0) } && costs.reduce(0, +) <= 1.001)
    let constant = main.block.operations.first { $0.operatorName == "const" }
    #expect(constant.map { plan.deviceUsage(for: $0) == nil } ?? true)
  }

  @Test func aPipelineHasItsModels() async throws {
    let url = try Self.compiled("models/pictureProgramPipeline.mlmodel")
    defer { Self.release(url) }
    guard case .pipeline(let pipeline) = try await MLModelStructure.load(contentsOf: url) else {
      Issue.record("the structure is no pipeline")
      return
    }
    #expect(pipeline.subModels.count == pipeline.subModelNames.count && !pipeline.subModels.isEmpty)
    #expect(
      pipeline.subModels.contains { model in
        if case .neuralNetwork(let network) = model { return !network.layers.isEmpty }
        return false
      })
    #expect(
      pipeline.subModels.contains { model in
        if case .program(let program) = model { return program.functions["main"]?.block.operations.isEmpty == false }
        return false
      })
  }

  @Test func anAssetHasAPlan() async throws {
    let asset = try MLModelAsset(
      specification: Data(contentsOf: SampleCodeChecks.cases().appending(path: "digits/Digits.mlmodel")))
    let plan = try await MLComputePlan.load(asset: asset, configuration: MLModelConfiguration())
    guard case .neuralNetwork = plan.modelStructure else {
      Issue.record("the structure is \(plan.modelStructure)")
      return
    }
    #expect(throws: MLModelError.self) { try MLModelAsset(url: SampleCodeChecks.cases()) }
  }
}
