import CoreMLSpec
import MIL

struct IdentityImport {
  let program: FeatureProgram

  /// Copies each input to the output of the same name, otherwise to the output at the same index.
  func identity() throws {
    let inputs = try program.description.input.map { try $0.name }
    let known = Set(inputs)
    for (place, feature) in try program.description.output.enumerated() {
      let name = try feature.name
      guard let source = known.contains(name) ? name : inputs.indices.contains(place) ? inputs[place] : nil else {
        throw program.error("the output '\(name)' has no input to be")
      }
      try program.set(name, program.emit("identity", ["x": .name(source)]))
    }
  }

  /// Stacks the confidences on a row of ones: every class counts as present (ClassConfidenceThresholding.proto).
  func classConfidenceThresholding() throws {
    let confidences = try program.vector()
    let ones = try program.emit("fill_like", ["ref_tensor": .name(confidences), "value": .double(1)])
    try program.setOnly(
      program.emit(all: "stack", ["values": [.name(confidences), .name(ones)], "axis": [.int(0)]])[0])
  }
}
