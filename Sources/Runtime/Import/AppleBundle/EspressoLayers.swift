import CoreMLSpec

/// Rewrites the layers of a compiled neural network as those of the specification they were compiled from, so that they are imported as
/// these are. A layer, field or mode whose meaning is not known is refused by name.
///
/// The meaning of fields: espresso's `C` and `K` of a convolution are output and input channels, `nB` and `nC` of an inner product inputs
/// and outputs, `Nx` and `Ny` width and height of the kernel; weights are as the specification has them.
struct EspressoLayers {
  let weights: EspressoWeights
  let shapes: EspressoShapes
  /// Fields `layers` of a `NeuralNetwork`.
  private(set) var writer = WireWriter()

  init(weights: EspressoWeights, shapes: EspressoShapes) {
    self.weights = weights
    self.shapes = shapes
  }

  mutating func append(_ layer: EspressoLayer) throws {
    var fields = EspressoFields(layer)
    guard !layer.outputs.isEmpty else { throw fields.error(.invalidModel, "gives nothing") }
    switch layer.type {
    case "convolution", "deconvolution": try convolution(&fields)
    case "inner_product": try innerProduct(&fields)
    case "pool": try pool(&fields)
    case "batchnorm": try batchnorm(&fields)
    case "activation": try activation(&fields)
    case "elementwise": try elementwise(&fields)
    case "softmax":
      // The channels' place, counted from the width.
      try fields.require("C", 2)
      emit(175, fields)
    case "concat":
      try fields.require("axis", 1)
      emit(320, fields)
    case "copy": emit(600, fields)
    case "flatten":
      let mode = try fields.size("mode", in: 0...1)
      emit(301, fields) { $0.append(1, uint: UInt64(mode)) }
    case "upsample": try upsample(&fields)
    case "lrn": try lrn(&fields)
    case "crop": try crop(&fields)
    case "general_padding": try padding(&fields)
    case "space_to_depth": try reorganize(&fields)
    case "split_nd": try split(&fields)
    case "load_constant": try constant(&fields)
    default: throw fields.error("layers of this type are not supported")
    }
    try fields.finish()
  }

  // MARK: writing

  /// One layer of the specification, with the inputs and outputs of the compiled one unless others are given.
  mutating func emit(
    _ kind: Int, _ fields: EspressoFields, inputs: [String]? = nil, outputs: [String]? = nil,
    _ params: (inout WireWriter) -> Void = { _ in }
  ) {
    writer.append(1) { writer in
      writer.append(1, string: fields.layer.name)
      for input in inputs ?? fields.layer.inputs { writer.append(2, string: input) }
      for output in outputs ?? fields.layer.outputs { writer.append(3, string: output) }
      writer.append(kind, message: params)
    }
  }

  /// A layer whose result goes through an activation that was fused into it; 0 for none.
  mutating func emit(
    _ kind: Int, _ fields: EspressoFields, fused activation: Int, _ params: (inout WireWriter) -> Void
  ) {
    guard activation != 0 else {
      emit(kind, fields, params)
      return
    }
    let inner = fields.layer.outputs.map { "\($0)/before activation" }
    emit(kind, fields, outputs: inner, params)
    emit(130, fields, inputs: inner) { $0.append(activation) { _ in } }
  }

  /// The number of the fused activation in `ActivationParams`.
  func fused(_ fields: inout EspressoFields, relu: String, tanh: String) throws -> Int {
    switch (try fields.flag(relu), try fields.flag(tanh)) {
    case (true, false): return 10
    case (false, true): return 30
    case (false, false): return 0
    case (true, true): throw fields.error(.invalidModel, "'\(relu)' and '\(tanh)' are both set")
    }
  }

  // MARK: weights

  /// `WeightParams` that are in a blob of floats, or of halves under the name with `_f16`.
  struct Weights {
    let bytes: Bytes
    let isHalf: Bool

    func write(_ number: Int, to writer: inout WireWriter) {
      writer.append(number) { $0.append(isHalf ? 2 : 1, bytes: bytes) }
    }
  }

  func weights(_ name: String, _ shape: [Int], _ fields: inout EspressoFields) throws -> Weights {
    let isHalf = fields.has("\(name)_f16")
    let field = isHalf ? "\(name)_f16" : name
    let number = try fields.number(field)
    guard let id = UInt64(exactly: number) else { throw fields.error(.invalidModel, "'\(field)' is \(number)") }
    let blob = try weights.blob(id)
    var size = isHalf ? 2 : 4
    for axis in shape {
      let (product, overflow) = size.multipliedReportingOverflow(by: axis)
      guard !overflow else { throw fields.error(.invalidModel, "'\(field)' has the shape \(shape)") }
      size = product
    }
    if blob.count == size { return Weights(bytes: blob, isHalf: isHalf) }
    // Vectors may be followed by zeros, up to four times their size.
    if shape.count == 1, blob.count > size, blob.count - size <= size * 3 {
      let rest = try blob.slice(size..<blob.count)
      if rest.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) {
        return Weights(bytes: try blob.slice(0..<size), isHalf: isHalf)
      }
    }
    throw fields.error(.invalidModel, "the weights \(id) have \(blob.count) bytes, '\(field)' needs \(size)")
  }
}
