import MIL

extension StoredWeight {
  /// Whether results of this operation can stay encoded.
  package static func canKeep(_ operation: String) -> Bool { makers[operation] != nil }

  /// The results of a `constexpr_*` operation on stored constants, still encoded, one element for each output. Nil for
  /// other operations and for results without such an encoding; the reference computes those.
  ///
  /// - Parameters:
  ///   - call: the operation, with the values of its small arguments.
  ///   - arguments: the arguments that are constants.
  package static func results(
    of call: Invocation, _ arguments: [String: StoredWeight]
  ) throws -> [StoredWeight]? {
    guard let make = makers[call.operation.type] else { return nil }
    let types = try call.located { try Operations.definition(of: call.operation).outputTypes(call) }
    var outputs: [(scalar: ScalarType, shape: [Int])] = []
    for type in types {
      guard case .tensor(let tensor) = type, let shape = tensor.concreteShape, tensor.elementCount != nil else {
        return nil
      }
      _ = try tensor.validated(call.operation.label)
      outputs.append((tensor.scalar, shape))
    }
    guard let results = try make(Constexpr(call: call, arguments: arguments, outputs: outputs)) else { return nil }
    return results.allSatisfy { $0.form.isExact } ? results : nil
  }

  private typealias Maker = @Sendable (Constexpr) throws -> [StoredWeight]?

  private static let makers: [String: Maker] = [
    "constexpr_cast": { try $0.cast() },
    "constexpr_lut_to_dense": { try $0.palette() },
    "constexpr_sparse_to_dense": { try $0.sparse() },
    "constexpr_affine_dequantize": { try $0.affine() },
    "constexpr_blockwise_shift_scale": { try $0.blockwise() },
    "constexpr_lut_to_sparse": { try $0.sparsePalette() },
    "constexpr_sparse_blockwise_shift_scale": { try $0.sparseBlockwise() },
    "constexpr_rows": { $0.rows() },
    "constexpr_part": { try $0.part() },
  ]
}

/// A `constexpr_*` operation that becomes a `WeightEncoding`.
private struct Constexpr {
  let call: Invocation
  let arguments: [String: StoredWeight]
  let outputs: [(scalar: ScalarType, shape: [Int])]

  /// Output `index` with this encoding. Nil unless the output's type holds every value without rounding.
  private func output(_ index: Int, _ form: WeightEncoding?) -> StoredWeight? {
    guard let form, outputs.indices.contains(index) else { return nil }
    let (scalar, shape) = outputs[index]
    switch scalar {
    case .float32: return form.isExact ? StoredWeight(scalar, shape: shape, form) : nil
    case .float16: return form.isF16 ? StoredWeight(scalar, shape: shape, form) : nil
    default: return form.isShort ? StoredWeight(scalar, shape: shape, form) : nil
    }
  }

  /// An encoding whose values are rounded to the output's type where that type does not hold them.
  private func rounded(_ form: WeightEncoding, _ index: Int = 0) -> StoredWeight? {
    let needsF16 = outputs[index].scalar == .float16 && !form.isF16
    return output(index, needsF16 ? .rounded(form) : form)
  }

  private func mask(_ name: String) throws -> SparseMask? {
    guard let weight = arguments[name] else { return nil }
    if case .dense(let numbers) = weight.form { return try SparseMask(numbers.tensor) }
    return nil
  }

  func cast() throws -> [StoredWeight]? {
    guard let source = arguments["source_val"], source.form.isExact, let result = rounded(source.form) else {
      return nil
    }
    return [result]
  }

  func rows() -> [StoredWeight]? {
    let parts = ["first", "second", "third"].filter(call.has).compactMap { arguments[$0] }
    guard parts.count == call.operation.inputs.count else { return nil }
    return output(0, .joined(ConcatenatedWeights(parts.map { ($0.form, $0.count) }))).map { [$0] }
  }

  func part() throws -> [StoredWeight]? {
    guard let data = arguments["data"], let rows = data.shape.first, rows > 0 else { return nil }
    let first = try call.int("begin") * (data.count / rows)
    let form = data.form.part(from: first, count: outputs[0].shape.reduce(1, *))
    return output(0, form).map { [$0] }
  }

  // MARK: palettes

  private func lookup(_ indices: WeightEncoding, _ shape: [Int]) throws -> WeightEncoding? {
    guard let lut = arguments["lut"] else { return nil }
    let palette = try PaletteShape(call, indices: shape.map { Dimension($0) })
    let palettes = lut.shape.dropLast(2).reduce(1, *)
    guard
      let lookup = try PaletteLookup(
        indices: indices, shape: shape, lut: lut.form, palettes: palettes, palette: palette)
    else { return nil }
    return .palette(lookup)
  }

  func palette() throws -> [StoredWeight]? {
    guard let indices = arguments["indices"], let form = try lookup(indices.form, indices.shape) else { return nil }
    return output(0, form).map { [$0] }
  }

  func sparsePalette() throws -> [StoredWeight]? {
    guard let given = arguments["indices_mask"], let mask = try mask("indices_mask"),
      let values = arguments["indices_nonzero_data"], mask.total == values.count,
      let form = try lookup(.spread(mask, values.form), given.shape)
    else { return nil }
    let palette = try PaletteShape(call, indices: given.shape.map { Dimension($0) })
    var wide = mask
    if let axis = palette.vectorAxis, palette.vectorSize > 1 {
      wide = try mask.repeated(palette.vectorSize, inner: given.shape[(axis + 1)...].reduce(1, *))
    }
    return try sparse(wide, form)
  }

  // MARK: sparse tensors

  func sparse() throws -> [StoredWeight]? {
    guard let mask = try mask("mask"), let values = arguments["nonzero_data"], mask.total == values.count else {
      return nil
    }
    if let form = values.form.behind(mask) { return output(0, .masked(mask, form)).map { [$0] } }
    return output(0, .spread(mask, values.form)).map { [$0] }
  }

  func sparseBlockwise() throws -> [StoredWeight]? {
    guard let given = arguments["data_mask"], let mask = try mask("data_mask"), let values = arguments["nonzero_data"],
      mask.total == values.count
    else { return nil }
    let data = values.form.behind(mask) ?? .spread(mask, values.form)
    guard let form = try blocks(data, given.shape), outputs.count == 2 else { return nil }
    return try sparse(mask, form)
  }

  /// Both outputs of an operation that returns a mask and the values that it keeps.
  private func sparse(_ mask: SparseMask, _ form: WeightEncoding) throws -> [StoredWeight]? {
    guard let bits = DenseElements(mask.tensor), outputs.count == 2, outputs[0].scalar == .uint1,
      outputs[0].shape.reduce(1, *) == mask.count, outputs[1].shape == [mask.total],
      let values = rounded(.gathered(mask, form), 1)
    else { return nil }
    return [StoredWeight(.uint1, shape: outputs[0].shape, .dense(bits)), values]
  }

  // MARK: scales

  private func blocks(_ data: WeightEncoding, _ shape: [Int]) throws -> WeightEncoding? {
    let block = try BlockShape(call, data: shape.map { Dimension($0) })
    return try scaled(data, "offset", walk: BlockWalk(shape: shape, blocks: block.blocks))
  }

  func blockwise() throws -> [StoredWeight]? {
    guard let data = arguments["data"], let form = try blocks(data.form, data.shape) else { return nil }
    return rounded(form).map { [$0] }
  }

  func affine() throws -> [StoredWeight]? {
    guard let data = arguments["quantized_data"], let scale = arguments["scale"], let zero = arguments["zero_point"]
    else { return nil }
    var blocks = data.shape
    var entries = 1
    if max(scale.count, zero.count) > 1 {
      let axis = try call.axis("axis", rank: data.shape.count)
      entries = data.shape[axis]
      blocks[axis] = 1
    }
    guard [1, entries].contains(scale.count), [1, entries].contains(zero.count) else { return nil }
    let walk = BlockWalk(shape: data.shape, blocks: blocks)
    return try scaled(data.form, "zero_point", walk: walk, entries: entries).flatMap { rounded($0) }.map { [$0] }
  }

  /// Applies scales and offsets to data. Nil if rounding to fp16 would round a second time.
  private func scaled(
    _ data: WeightEncoding, _ offsetName: String, walk: BlockWalk, entries: Int? = nil
  ) throws -> WeightEncoding? {
    let offset = arguments[offsetName]
    guard let scale = arguments["scale"], scale.form.isExact, data.isExact, offset?.form.isExact ?? true,
      call.has(offsetName) == (offset != nil)
    else { return nil }
    let hasShortOffset = offset?.form.isShort ?? true
    if outputs.last?.scalar == .float16 {
      // An fp16 significand (11 bits) times a difference of 9 bits is exact in fp32.
      guard scale.form.isF16, hasShortOffset || offset == nil, data.isShort, data.isF16 else { return nil }
    }
    func all(_ weight: StoredWeight) throws -> Tensor {
      let floats = try weight.form.floats(count: weight.count)
      guard let entries, weight.count != entries, let value = try floats.floats().first else { return floats }
      return Tensor(float32: Array(repeating: value, count: entries), shape: [entries])
    }
    return .scaled(
      BlockScale(
        data, scale: try all(scale), offset: try offset.map(all), hasShortOffset: hasShortOffset, walk: walk))
  }
}

extension WeightEncoding {
  /// The encoding that these values were gathered from by an equal mask.
  fileprivate func behind(_ mask: SparseMask) -> WeightEncoding? {
    switch self {
    case .gathered(let other, let form) where mask.isSame(as: other): form
    case .rounded(let form): form.behind(mask).map { .rounded($0) }
    default: nil
    }
  }
}

extension WeightEncoding {
  /// A part of dense elements is dense again: kernels read it in place.
  fileprivate func part(from first: Int, count: Int) -> WeightEncoding {
    guard case .dense(let numbers) = self, numbers.tensor.scalar.bitWidth % 8 == 0,
      let part = try? numbers.tensor.part(from: first, count: count), let dense = DenseElements(part)
    else { return .part(self, first: first) }
    return .dense(dense)
  }
}

extension Tensor {
  /// A range of the elements as a one-dimensional tensor. It shares the memory and keeps its own offset in the file.
  fileprivate func part(from first: Int, count: Int) throws -> Tensor {
    let (offset, bytes) = (first * scalar.bitWidth / 8, count * scalar.bitWidth / 8)
    let origin = storage.origin.map { BlobReference(path: $0.path, offset: $0.offset + UInt64(offset)) }
    return try Tensor(
      scalar, shape: [count],
      storage: TensorStorage(borrowing: storage.pointer + offset, byteCount: bytes, owner: storage, origin: origin))
  }
}
