import CoreMLKernels
import MIL

/// Lowers the operations placed on a device, before kernels are matched. It selects the precision of the arithmetic,
/// then fuses operations, then selects the precision in which values are stored.
struct Lower {
  let pool: ThreadPool
  let allowsFusion: Bool

  func callAsFunction(_ function: Function, for device: PlanDevice) throws -> Function {
    try passes(for: function, on: device).reduce(function) { try $0.after($1) }
  }

  /// The passes in order. They depend on which values are fp16, not on sizes.
  func passes(for function: Function, on device: PlanDevice) -> [any Pass] {
    let (hasF16, f16Names) = (function.hasF16, function.f16Names)
    var passes: [any Pass] = []
    if !device.keepsF16, hasF16 {
      // The types of blocks are found again from those of their operations.
      let isTyped = function.body.operations.allSatisfy(\.blocks.isEmpty)
      passes += [WidenF16(), Specialize(pool: pool, foldsF16: true, isTyped: isTyped)]
    }
    if device.kind == .cpu { passes.append(UpdateStatesAsStored(f16: f16Names)) }
    passes.append(CastStates())
    if allowsFusion {
      passes += [
        CanonicalizeQuantizedConvolution(on: device.kind), SplitNearestNeighbors(on: device.kind),
        CanonicalizeChannelAffine(on: device.kind), FoldPadding(), FoldChannelAffine(), RecogniseAttention(for: device),
        // After attention fusion, some projections have no reader.
        RemoveDeadCode(), FuseProjections(f16: f16Names), SplitProduct(on: device.kind),
        FuseNormalizations(on: device.kind, threads: pool.threads), FuseActivations(on: device.kind), FuseBounds(),
        KeepInt8(on: device.kind), FuseQuantization(on: device.kind), TransposeToReshape(),
        FuseEpilogue(on: device.kind), FuseAffine(on: device.kind), PropagateQuantization(on: device.kind),
        FusePointwise(on: device.kind),
      ]
    }
    if device.storesF16, !device.keepsF16, hasF16 {
      passes.append(StoreAsF16(f16Names, on: device, threads: pool.threads))
    }
    return passes + [RemoveDeadCode()]
  }
}

extension Function {
  /// Whether any value is fp16.
  var hasF16: Bool { inputs.contains { $0.type.hasF16 } || body.hasF16 }
}

extension Block {
  fileprivate var hasF16: Bool { inputs.contains { $0.type.hasF16 } || operations.contains(where: \.hasF16) }
}

extension Operation {
  /// Whether a result, a literal or a value in its blocks is fp16.
  var hasF16: Bool {
    outputs.contains { $0.type.hasF16 } || inputs.values.contains { $0.contains(where: \.hasF16) }
      || blocks.contains(where: \.hasF16)
  }
}

extension Binding {
  /// Whether it is a literal that contains fp16.
  var hasF16: Bool {
    if case .literal(let value) = self { return value.hasF16 }
    return false
  }
}

extension Value {
  fileprivate var hasF16: Bool {
    if case .tensor(let tensor) = self { return tensor.scalar == .float16 }
    return type.hasF16
  }
}
