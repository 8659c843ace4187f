import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import Foundation
import MIL

/// How a model would be computed under a configuration: which devices take the operations and layers of its file, and what share of a
/// prediction each of them costs.
///
/// The plan is the one that a prediction of the declared shapes runs; where sizes may vary, these are the default ones. Operations that are part of
/// others in it (fused, folded into weights) are told by the names that they have in the file.
public final class MLComputePlan: NSObject, Sendable {
  /// What the model is made of.
  public let modelStructure: MLModelStructure
  private let steps: [PlanReport.Step]
  /// The places of the steps that an operation or a layer of the file is computed by, by its name.
  private let places: [String: [Int]]
  private let gpus: [MLComputeDevice]
  /// Seconds of a prediction that an operation or a layer of the file costs, by its name.
  private let seconds: [String: Double]
  private let total: Double

  /// The plan of a compiled model.
  ///
  /// - Throws: `MLModelError`, as loading the model does.
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

  /// The plan of an asset's model.
  ///
  /// - Throws: `MLModelError`, as loading the model does.
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
    // What was joined shares the cost of what it became.
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

  /// Where an operation or a layer runs.
  public struct DeviceUsage: Sendable, Hashable {
    /// The devices that could run it.
    public let supported: [MLComputeDevice]
    /// The device that does.
    public let preferred: MLComputeDevice
    /// The kernel that computes it: a row of the runtime's table.
    public let kernel: String
  }

  /// What an operation or a layer costs.
  public struct Cost: Sendable, Hashable {
    /// The share of a whole prediction, from 0 to 1, as it was estimated.
    public let weight: Double
  }

  /// Where an operation of a program runs; nil for one that a prediction does not compute, such as a constant.
  public func deviceUsage(for operation: MLModelStructure.Program.Operation) -> DeviceUsage? {
    usage(of: operation.names, operation.operatorName)
  }

  /// Where a layer of a neural network runs; nil for one that a prediction does not compute.
  public func deviceUsage(for layer: MLModelStructure.NeuralNetwork.Layer) -> DeviceUsage? {
    usage(of: layer.names, nil)
  }

  /// The share of a prediction that an operation costs; nil for one that a prediction does not compute, such as a constant.
  public func estimatedCost(of operation: MLModelStructure.Program.Operation) -> Cost? { cost(of: operation.names) }

  /// The share of a prediction that a layer costs; nil for one that a prediction does not compute.
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
