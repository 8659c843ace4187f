import CoreMLBase
import CoreMLSpec
import MIL

/// `WeightParams` as constants. fp32 values are used in place, and fp16 values stay fp16 behind a `constexpr_cast`.
/// Quantized weights are decoded: W = scale q + bias, or W = table[q] (NeuralNetwork.proto). Values of n bits are
/// packed from the most significant bit.
struct LayerWeights {
  let graph: NetworkGraph

  /// The weights as an fp32 value of `shape`.
  ///
  /// - Parameter channelAxis: the axis with one linear quantization scale per element.
  func weight(
    _ message: Specification.WeightParams?, _ shape: [Int], _ name: String, channelAxis: Int = 0
  ) throws -> Binding {
    let message = try graph.required(message, name)
    guard let count = TensorType.elementCount(shape) else {
      throw graph.error(.invalidModel, "'\(name)' has the shape \(shape)")
    }
    if try isParameter(message) {
      return .name(try parameter(tensor(message, shape, name, channelAxis: channelAxis), name))
    }
    let half = try message.float16Value
    if !half.isEmpty {
      guard half.count == count * 2 else { throw mismatch(name, half.count / 2, count) }
      let tensor = try Tensor(.float16, shape: shape, storage: TensorStorage(sharing: half, alignment: 2))
      return .name(
        try graph.emit("constexpr_cast", ["source_val": .tensor(tensor), "output_dtype": .string("fp32")]))
    }
    return .tensor(try tensor(message, shape, name, channelAxis: channelAxis))
  }

  /// Whether training changes the weights.
  func isParameter(_ message: Specification.WeightParams?) throws -> Bool {
    try graph.layer.isUpdatable && message?.isUpdatable == true
  }

  /// Emits a parameter that training changes, identified by the layer's name and its role in the layer.
  func parameter(_ tensor: Tensor, _ name: String) throws -> String {
    try graph.builder.add(
      "train.parameter",
      [
        "x": .tensor(tensor), "layer": .string(graph.layer.name), "role": .string(name == "bias" ? "biases" : name),
      ], named: "\(graph.layer.name)_\(name)")
  }

  /// The weights as fp32 numbers of `shape`.
  func tensor(
    _ message: Specification.WeightParams?, _ shape: [Int], _ name: String, channelAxis: Int = 0
  ) throws -> Tensor {
    let message = try graph.required(message, name)
    guard let count = TensorType.elementCount(shape) else {
      throw graph.error(.invalidModel, "'\(name)' has the shape \(shape)")
    }
    let floats = try message.floatValueBytes
    if !floats.isEmpty || count == 0 {
      guard floats.count == count * 4 else { throw mismatch(name, floats.count / 4, count) }
      return try Tensor(.float32, shape: shape, storage: TensorStorage(sharing: floats, alignment: 4))
    }
    let half = try message.float16Value
    if !half.isEmpty {
      guard half.count == count * 2 else { throw mismatch(name, half.count / 2, count) }
      return try Tensor(.float16, shape: shape, storage: TensorStorage(sharing: half, alignment: 2)).converted(
        to: .float32)
    }
    let int8 = try message.int8RawValue
    let raw = try message.rawValue
    guard !int8.isEmpty || !raw.isEmpty else {
      throw graph.error(.invalidModel, "'\(name)' has no values, expected \(count)")
    }
    let quantization = try graph.required(message.quantization, "\(name).quantization")
    let bits = int8.isEmpty ? try graph.int(quantization.numberOfBits, "numberOfBits") : 8
    guard (1...8).contains(bits) else { throw graph.error(.invalidModel, "'\(name)' is quantized to \(bits) bits") }
    let bytes = int8.isEmpty ? raw : int8
    guard let total = TensorType.elementCount([count, bits]), bytes.count >= (total + 7) / 8 else {
      throw mismatch(name, bytes.count * 8 / bits, count)
    }
    let levels = unpack(bytes, bits: bits, count: count, isSigned: !int8.isEmpty)
    return try Tensor(.float32, shape: shape, storage: dequantized(levels, quantization, shape, channelAxis, name))
  }

  /// The number of values in a `WeightParams`, in any encoding.
  static func count(of weights: Specification.WeightParams) throws -> Int {
    let floats = try weights.floatValueBytes.count / 4
    if floats > 0 { return floats }
    let f16Count = try weights.float16Value.count / 2
    if f16Count > 0 { return f16Count }
    let bits = Swift.max(Int(clamping: try weights.quantization?.numberOfBits ?? 8), 1)
    return try weights.int8RawValue.count + weights.rawValue.count * 8 / bits
  }

  private func unpack(_ bytes: Bytes, bits: Int, count: Int, isSigned: Bool) -> [Int16] {
    bytes.withUnsafeBytes { source in
      (0..<count).map { index -> Int16 in
        if bits == 8 { return isSigned ? Int16(Int8(bitPattern: source[index])) : Int16(source[index]) }
        let start = index * bits
        var window = UInt16(source[start / 8]) << 8
        if start % 8 + bits > 8 { window |= UInt16(source[start / 8 + 1]) }
        return Int16((window >> UInt16(16 - start % 8 - bits)) & UInt16((1 << bits) - 1))
      }
    }
  }

  private func dequantized(
    _ levels: [Int16], _ quantization: Specification.QuantizationParams, _ shape: [Int], _ channelAxis: Int,
    _ name: String
  ) throws -> TensorStorage {
    let storage = try TensorStorage(byteCount: levels.count * 4, for: "'\(name)'")
    guard let target = storage.mutablePointer?.assumingMemoryBound(to: Float.self) else { return storage }
    switch try quantization.quantizationType {
    case .lookupTableQuantization(let lookup):
      let table = try lookup.floatValue
      for (index, level) in levels.enumerated() {
        guard table.indices.contains(Int(level)) else {
          throw graph.error(.invalidModel, "'\(name)' has the level \(level) and a table of \(table.count)")
        }
        target[index] = table[Int(level)]
      }
    case .linearQuantization(let linear):
      let scale = try linear.scale
      let bias = try linear.bias
      let channels = shape.indices.contains(channelAxis) ? shape[channelAxis] : 1
      guard scale.count == 1 || scale.count == channels, bias.count <= 1 || bias.count == channels else {
        throw graph.error(.invalidModel, "'\(name)' has \(scale.count) scales for \(channels) channels")
      }
      let inner = max(shape.dropFirst(channelAxis + 1).reduce(1, *), 1)
      for (index, level) in levels.enumerated() {
        let channel = index / inner % max(channels, 1)
        let offset = bias.isEmpty ? 0 : bias[bias.count == 1 ? 0 : channel]
        target[index] = scale[scale.count == 1 ? 0 : channel] * Float(level) + offset
      }
    case nil: throw graph.error(.invalidModel, "'\(name)' is quantized without quantization parameters")
    }
    return storage
  }

  private func mismatch(_ name: String, _ found: Int, _ expected: Int) -> RuntimeError {
    graph.error(.invalidModel, "'\(name)' has \(found) values, expected \(expected)")
  }
}

extension NetworkGraph {
  var weights: LayerWeights { LayerWeights(graph: self) }
}

extension TensorStorage {
  /// Shares and retains the bytes; copies them if they are not aligned.
  convenience init(sharing bytes: Bytes, alignment: Int) throws {
    if Int(bitPattern: bytes.pointer) % alignment == 0 {
      self.init(borrowing: bytes.pointer, byteCount: bytes.count, owner: bytes.owner)
    } else {
      try self.init(copying: bytes)
    }
  }
}
