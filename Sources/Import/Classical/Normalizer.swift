import CoreMLSpec
import MIL

struct NormalizerImport {
  let program: FeatureProgram

  func add(_ message: Specification.Normalizer) throws {
    let norm =
      switch try message.normType {
      case .lMax: "max"
      case .l1: "l1"
      case .l2: "l2"
      }
    try program.setOnly(
      program.emit("ml.normalizer", ["x": .name(program.double(program.onlyInput())), "norm": .string(norm)]))
  }
}
