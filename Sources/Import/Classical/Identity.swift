import CoreMLSpec
import MIL

extension FeatureProgram {
  /// Copies each input to the output of the same name, otherwise to the output at the same index.
  mutating func identity() throws {
    let inputs = try description.input.map { try $0.name }
    let known = Set(inputs)
    for (place, feature) in try description.output.enumerated() {
      let name = try feature.name
      guard let source = known.contains(name) ? name : inputs.indices.contains(place) ? inputs[place] : nil else {
        throw error("the output '\(name)' has no input to be")
      }
      try set(name, emit("identity", ["x": .name(source)]))
    }
  }

  /// Stacks the confidences on a row of ones: every class counts as present (ClassConfidenceThresholding.proto).
  mutating func classConfidenceThresholding() throws {
    let confidences = try vector()
    let ones = try emit("fill_like", ["ref_tensor": .name(confidences), "value": .double(1)])
    try setOnly(emit(all: "stack", ["values": [.name(confidences), .name(ones)], "axis": [.int(0)]])[0])
  }
}
