import CoreMLSpec
import MIL

extension FeatureProgram {
  mutating func normalizer(_ message: Specification.Normalizer) throws {
    let norm =
      switch try message.normType {
      case .lMax: "max"
      case .l1: "l1"
      case .l2: "l2"
      }
    try setOnly(emit("ml.normalizer", ["x": .name(double(onlyInput())), "norm": .string(norm)]))
  }
}
