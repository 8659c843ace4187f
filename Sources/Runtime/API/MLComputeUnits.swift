/// The devices that a model may use. This system has no Neural Engine; the CPU is used instead.
public enum MLComputeUnits: Int, Sendable, CaseIterable {
  /// The CPU only.
  case cpuOnly = 0
  /// The CPU and the first GPU.
  case cpuAndGPU = 1
  /// All devices: the CPU and the first GPU.
  case all = 2
  /// The CPU only, because there is no Neural Engine.
  case cpuAndNeuralEngine = 3
}
