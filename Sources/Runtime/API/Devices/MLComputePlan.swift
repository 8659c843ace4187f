import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import Foundation
import MIL

/// How a configuration runs a model: the device of each operation or layer of the model file, and its share of a
/// prediction's cost.
///
/// The plan is the plan of a prediction with the declared shapes. Flexible sizes have their default value. Operations
/// that were fused or folded into weights are found by their names in the file.
public final class MLComputePlan: NSObject, Sendable {
  /// The structure of the model file.
  public let modelStructure: MLModelStructure
  private let steps: [PlanReport.Step]
  /// The indices of the plan's steps that compute an operation or layer of the file, by its name.
  private let places: [String: [Int]]
  private let gpus: [MLComputeDevice]
  /// The cost in seconds of each operation or layer of the file, by its name.
  private let seconds: [String: Double]
  private let total: Double

  /// Loads the plan of a compiled model.
  ///
  /// - Throws: `MLModelError`, like loading the model.
  public static func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLComputePlan {
    let configuration = configuration.copied
    return try await offCaller {
      try MLComputePlan(
        MLModel(contentsOf: url, configuration: configuration),
        MLModelError.wrapping(.io, inputs: .io) { try CompiledModelLoader.load(url.path) })
    }
  }

  /// Loads the plan of an asset's model.
  ///
  /// - Throws: `MLModelError`, like loading the model.
  public static func load(
    asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLComputePlan {
    let configuration = configuration.copied
    return try await offCaller {
      try MLComputePlan(
        MLModel(asset: asset, configuration: configuration),
        MLModelError.wrapping(.io, inputs: .io) { try asset.model() })
    }
  }

  private init(_ model: MLModel, _ imported: ImportedModel) throws {
    let report = try model.plan(for: nil)
    modelStructure = MLModelStructure(imported)
    steps = report.steps
    let allowed = try MLModelError.wrapping(.generic) { try DeviceChoice.devices(model.configuration.devices) }
    gpus = allowed.map { .gpu(MLGPUComputeDevice($0)) }
    var (seconds, places): ([String: Double], [String: [Int]]) = ([:], [:])
    // Operations that were fused into one step share its cost equally.
    for (place, step) in report.steps.enumerated() {
      for name in step.origins {
        seconds[name, default: 0] += step.cost / Double(step.origins.count)
        places[name, default: []].append(place)
      }
    }
    (self.seconds, self.places) = (seconds, places)
    total = report.cost
    super.init()
  }

  /// The devices for an operation or layer.
  public struct DeviceUsage: Sendable, Hashable {
    /// The devices that support it.
    public let supported: [MLComputeDevice]
    /// The device that runs it.
    public let preferred: MLComputeDevice
    /// The name of the kernel that computes it, as in the kernel registry.
    public let kernel: String
  }

  /// The cost of an operation or layer.
  public struct Cost: Sendable, Hashable {
    /// The estimated share of the whole prediction, from 0 to 1.
    public let weight: Double
  }

  /// The device usage of an operation of a program. Returns nil if a prediction does not compute it, for example for a
  /// constant.
  public func deviceUsage(for operation: MLModelStructure.Program.Operation) -> DeviceUsage? {
    usage(of: operation.names, operation.operatorName)
  }

  /// The device usage of a layer of a neural network. Returns nil if a prediction does not compute it.
  public func deviceUsage(for layer: MLModelStructure.NeuralNetwork.Layer) -> DeviceUsage? {
    usage(of: layer.names, nil)
  }

  /// The estimated share of a prediction for an operation. Returns nil if a prediction does not compute it, for example
  /// for a constant.
  public func estimatedCost(of operation: MLModelStructure.Program.Operation) -> Cost? { cost(of: operation.names) }

  /// The estimated share of a prediction for a layer. Returns nil if a prediction does not compute it.
  public func estimatedCost(of layer: MLModelStructure.NeuralNetwork.Layer) -> Cost? { cost(of: layer.names) }

  private func usage(of names: [String], _ operation: String?) -> DeviceUsage? {
    let found = Set(names.flatMap { places[$0] ?? [] }).sorted().map { steps[$0] }
    guard let main = found.max(by: { $0.cost < $1.cost }) else { return nil }
    let cpu = MLComputeDevice.cpu(MLCPUComputeDevice())
    let type = operation ?? main.operation
    let hasKernel = KernelRegistry.implementations(for: type, on: .openCL).contains { $0.name != "reference" }
    let isOnGPU = main.device != DeviceKind.cpu.rawValue
    return DeviceUsage(
      supported: [cpu] + (hasKernel || isOnGPU ? gpus : []), preferred: isOnGPU ? gpus.first ?? cpu : cpu,
      kernel: main.kernel)
  }

  private func cost(of names: [String]) -> Cost? {
    let known = names.compactMap { seconds[$0] }
    guard !known.isEmpty else { return nil }
    return Cost(weight: total > 0 ? min(known.reduce(0, +) / total, 1) : 0)
  }
}
