/// The devices that tensors are computed on.
public struct MLComputePolicy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Nil where nothing was asked: every device may be used.
  let units: MLComputeUnits?

  /// The devices that compute units stand for, as in a model's configuration.
  public init(_ computeUnits: MLComputeUnits) { units = computeUnits }

  private init() { units = nil }

  /// The CPU alone.
  public static let cpuOnly = MLComputePolicy(.cpuOnly)
  /// The CPU and OpenCL GPUs.
  public static let cpuAndGPU = MLComputePolicy(.cpuAndGPU)

  /// The devices by the name of their compute units.
  public var description: String {
    switch units {
    case nil, .all: "all"
    case .cpuOnly: "cpuOnly"
    case .cpuAndGPU: "cpuAndGPU"
    case .cpuAndNeuralEngine: "cpuAndNeuralEngine"
    }
  }

  /// Without parts.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  @TaskLocal static var current = MLComputePolicy()
}

/// Runs `body`; the tensors that are made in it are computed on the devices of a policy, whenever their numbers are asked for.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, _ body: () throws -> Result
) rethrows -> Result {
  try MLComputePolicy.$current.withValue(computePolicy, operation: body)
}

/// Runs `body`; the tensors that are made in it are computed on the devices of a policy, whenever their numbers are asked for.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  try await MLComputePolicy.$current.withValue(computePolicy, operation: body, isolation: isolation)
}
