import CoreMLSpec
import MIL

/// Layers with two inputs that broadcast as in NumPy. Blobs are always fp32, so true is 1 and false is 0.
extension NetworkImport {
  mutating func broadcast(_ operation: String) throws {
    let (x, y, lead) = try pair()
    try setImage(0, emit(operation, ["x": .name(x), "y": .name(y)]), lead: lead)
  }

  /// Compares two inputs, or one input with `alpha`.
  mutating func compare(_ operation: String, alpha: Float) throws {
    if layer.inputs.count == 1 {
      try map { network, x in
        try network.asFloat(network.emit(operation, ["x": .name(x), "y": .float(alpha)]))
      }
      return
    }
    let (x, y, lead) = try pair()
    try setImage(0, asFloat(emit(operation, ["x": .name(x), "y": .name(y)])), lead: lead)
  }

  mutating func logical(_ operation: String) throws {
    let (x, y, lead) = try pair()
    let result = try emit(operation, ["x": .name(truth(x)), "y": .name(truth(y))])
    try setImage(0, asFloat(result), lead: lead)
  }

  private mutating func pair() throws -> (String, String, lead: Blob.Lead?) {
    let (values, lead) = try aligned()
    guard values.count == 2 else { throw error(.invalidModel, "takes 2 inputs, it has \(values.count)") }
    return (values[0], values[1], lead)
  }

  /// Converts a blob to booleans: every element except 0 is true.
  mutating func truth(_ value: String) throws -> String {
    try emit("not_equal", ["x": .name(value), "y": .float(0)])
  }
}
