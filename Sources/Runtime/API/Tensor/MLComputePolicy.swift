/// The devices that compute tensors.
public struct MLComputePolicy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Nil if no policy was set; then every device may be used.
  let units: MLComputeUnits?

  /// Creates a policy from compute units, which select devices as in a model's configuration.
  public init(_ computeUnits: MLComputeUnits) { units = computeUnits }

  private init() { units = nil }

  /// The CPU only.
  public static let cpuOnly = MLComputePolicy(.cpuOnly)
  /// The CPU and OpenCL GPUs.
  public static let cpuAndGPU = MLComputePolicy(.cpuAndGPU)

  /// The name of the compute units.
  public var description: String {
    switch units {
    case nil, .all: "all"
    case .cpuOnly: "cpuOnly"
    case .cpuAndGPU: "cpuAndGPU"
    case .cpuAndNeuralEngine: "cpuAndNeuralEngine"
    }
  }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  @TaskLocal static var current = MLComputePolicy()
}

/// Runs `body`. Tensors created in it are computed on the devices of the policy, whenever the computation happens.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, _ body: () throws -> Result
) rethrows -> Result {
  try MLComputePolicy.$current.withValue(computePolicy, operation: body)
}

/// Runs `body`. Tensors created in it are computed on the devices of the policy, whenever the computation happens.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  try await MLComputePolicy.$current.withValue(computePolicy, operation: body, isolation: isolation)
}
