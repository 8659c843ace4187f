/// The processors that a model may use. There is no Neural Engine here: it stands for the CPU.
public enum MLComputeUnits: Int, Sendable, CaseIterable {
  case cpuOnly = 0
  case cpuAndGPU = 1
  case all = 2
  case cpuAndNeuralEngine = 3
}
