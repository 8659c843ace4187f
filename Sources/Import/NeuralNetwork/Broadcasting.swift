import CoreMLSpec
import MIL

/// Layers with two inputs that broadcast as in NumPy. Blobs are always fp32, so true is 1 and false is 0.
struct BroadcastLayers {
  let graph: NetworkGraph

  func broadcast(_ operation: String) throws {
    let (x, y, lead) = try pair()
    try graph.setImage(0, graph.emit(operation, ["x": .name(x), "y": .name(y)]), lead: lead)
  }

  /// Compares two inputs, or one input with `alpha`.
  func compare(_ operation: String, alpha: Float) throws {
    if graph.layer.inputs.count == 1 {
      try graph.map { x in
        try graph.asFloat(graph.emit(operation, ["x": .name(x), "y": .float(alpha)]))
      }
      return
    }
    let (x, y, lead) = try pair()
    try graph.setImage(0, graph.asFloat(graph.emit(operation, ["x": .name(x), "y": .name(y)])), lead: lead)
  }

  func logical(_ operation: String) throws {
    let (x, y, lead) = try pair()
    let result = try graph.emit(operation, ["x": .name(graph.truth(x)), "y": .name(graph.truth(y))])
    try graph.setImage(0, graph.asFloat(result), lead: lead)
  }

  private func pair() throws -> (String, String, lead: Blob.Lead?) {
    let (values, lead) = try graph.aligned()
    guard values.count == 2 else { throw graph.error(.invalidModel, "takes 2 inputs, it has \(values.count)") }
    return (values[0], values[1], lead)
  }
}
