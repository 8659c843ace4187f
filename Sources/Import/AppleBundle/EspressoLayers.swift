import CoreMLBase
import CoreMLSpec

/// Converts the layers of a compiled neural network to the specification's layers from which they were compiled. The
/// regular importer then reads these. A layer, field or mode with an unknown meaning is rejected by name.
///
/// The meaning of fields: `C` and `K` of an Espresso convolution are the output and input channels. `nB` and `nC` of an
/// inner product are the inputs and outputs. `Nx` and `Ny` are the width and height of the kernel. Weights have the
/// specification's layout.
package struct EspressoLayers {
  let weights: EspressoWeights
  let shapes: EspressoShapes
  /// The serialized `layers` fields of a `NeuralNetwork`.
  private(set) var writer = WireWriter()

  init(weights: EspressoWeights, shapes: EspressoShapes) {
    self.weights = weights
    self.shapes = shapes
  }

  private typealias Rewrite = @Sendable (inout EspressoLayers, inout EspressoFields) throws -> Void

  /// The conversion of each type of compiled layer.
  private static let rewrites: [String: Rewrite] = [
    "convolution": { try $0.convolution(&$1) },
    "deconvolution": { try $0.convolution(&$1) },
    "inner_product": { try $0.innerProduct(&$1) },
    "pool": { try $0.pool(&$1) },
    "batchnorm": { try $0.batchnorm(&$1) },
    "activation": { try $0.activation(&$1) },
    "elementwise": { try $0.elementwise(&$1) },
    "softmax": { layers, fields in
      // The index of the channel axis, counted from the width.
      try fields.require("C", 2)
      layers.emit(175, fields)
    },
    "concat": { layers, fields in
      try fields.require("axis", 1)
      layers.emit(320, fields)
    },
    "copy": { $0.emit(600, $1) },
    "flatten": { layers, fields in
      let mode = try fields.size("mode", in: 0...1)
      if fields.has("nd_axis") { try layers.requireFiveAxes(fields) }
      try fields.require("nd_axis", 0)
      layers.emit(301, fields) { $0.append(1, uint: UInt64(mode)) }
    },
    "upsample": { try $0.upsample(&$1) },
    "lrn": { try $0.lrn(&$1) },
    "crop": { try $0.crop(&$1) },
    "general_padding": { try $0.padding(&$1) },
    "space_to_depth": { try $0.reorganize(&$1) },
    "split_nd": { try $0.split(&$1) },
    "transpose": { try $0.transpose(&$1) },
    "reshape": { try $0.reshape(&$1) },
    "reduce": { try $0.reduce(&$1) },
    "slice": { try $0.slice(&$1) },
    "sequence_concat": { layers, fields in
      try layers.requireFiveAxes(fields)
      try fields.expect("simple_concat", 1)
      layers.emit(320, fields) { $0.append(100, bool: true) }
    },
    "softmax_nd": { layers, fields in
      // Counted from the last axis, as in the source.
      let axis = try fields.number("nd_axis")
      guard (-5 ... -1).contains(axis), let axis = Int64(exactly: axis) else {
        throw fields.error("'nd_axis' is \(axis), expected -5 to -1")
      }
      layers.emit(950, fields) { $0.append(1, int: axis) }
    },
    "squeeze": { try $0.axes(1120, &$1) },
    "expand_dims": { try $0.axes(1125, &$1) },
    "batch_matmul": { $0.emit(1045, $1) },
    "load_constant": { try $0.constant(&$1) },
  ]

  /// The supported types of compiled layers.
  package static var types: [String] { rewrites.keys.sorted() }

  mutating func append(_ layer: EspressoLayer) throws {
    var fields = EspressoFields(layer)
    guard !layer.outputs.isEmpty else { throw fields.error(.invalidModel, "has no outputs") }
    guard let rewrite = Self.rewrites[layer.type] else { throw fields.error("layers of this type are not supported") }
    try rewrite(&self, &fields)
    try fields.finish()
  }

  // MARK: writing

  /// Writes one layer of the specification. Its inputs and outputs are those of the compiled layer unless others are
  /// given.
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

  /// Writes a layer, followed by the activation that was fused into it; 0 means no activation.
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

  /// The field number of the fused activation in `ActivationParams`.
  func fused(_ fields: inout EspressoFields, relu: String, tanh: String) throws -> Int {
    switch (try fields.flag(relu), try fields.flag(tanh)) {
    case (true, false): return 10
    case (false, true): return 30
    case (false, false): return 0
    case (true, true): throw fields.error(.invalidModel, "'\(relu)' and '\(tanh)' are both set")
    }
  }

  // MARK: weights

  /// Weights for a `WeightParams` message, from a blob of fp32 values or, if the field's name ends in `_f16`, of fp16
  /// values.
  struct Weights {
    let bytes: Bytes
    let isF16: Bool

    func write(_ number: Int, to writer: inout WireWriter) {
      writer.append(number) { $0.append(isF16 ? 2 : 1, bytes: bytes) }
    }
  }

  func weights(_ name: String, _ shape: [Int], _ fields: inout EspressoFields) throws -> Weights {
    let isF16 = fields.has("\(name)_f16")
    let field = isF16 ? "\(name)_f16" : name
    if !fields.has(field), fields.has("weights") {
      throw fields.error("its weights are quantised, which is supported in the source of a network alone")
    }
    let number = try fields.number(field)
    guard let id = UInt64(exactly: number) else { throw fields.error(.invalidModel, "'\(field)' is \(number)") }
    let blob = try weights.blob(id)
    var size = isF16 ? 2 : 4
    for axis in shape {
      let (product, overflow) = size.multipliedReportingOverflow(by: axis)
      guard !overflow else { throw fields.error(.invalidModel, "'\(field)' has the shape \(shape)") }
      size = product
    }
    if blob.count == size { return Weights(bytes: blob, isF16: isF16) }
    // A vector may be followed by zeros, up to four times its size.
    if shape.count == 1, blob.count > size, blob.count - size <= size * 3 {
      let rest = try blob.slice(size..<blob.count)
      if rest.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) {
        return Weights(bytes: try blob.slice(0..<size), isF16: isF16)
      }
    }
    throw fields.error(.invalidModel, "the weights \(id) have \(blob.count) bytes, '\(field)' needs \(size)")
  }
}
