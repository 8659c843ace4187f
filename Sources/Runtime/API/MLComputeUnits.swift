/// The processors that a model may use. There is no Neural Engine here: it stands for the CPU.
public enum MLComputeUnits: Int, Sendable, CaseIterable {
  /// The CPU alone.
  case cpuOnly = 0
  /// The CPU and the first GPU.
  case cpuAndGPU = 1
  /// All that there is: the CPU and the first GPU.
  case all = 2
  /// The CPU alone, as there is no Neural Engine.
  case cpuAndNeuralEngine = 3
}
