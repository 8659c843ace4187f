import CoreMLKernels
import MIL

/// Lowers the operations placed on a device, before kernels are matched. It selects the precision of the arithmetic,
/// then fuses operations, then selects the precision in which values are stored.
struct Lower {
  let pool: ThreadPool
  let allowsFusion: Bool

  func callAsFunction(_ function: Function, for device: PlanDevice) throws -> Function {
    var result = function
    if !device.keepsF16, function.hasF16 {
      result = try result.after(WidenF16())
      result = try result.after(Specialize(pool: pool, foldsF16: true))
    }
    if device.kind == .cpu { result = try result.after(UpdateStatesAsStored(f16: function.f16Names)) }
    result = try result.after(CastStates())
    if allowsFusion {
      result = try result.after(CanonicalizeQuantizedConvolution(on: device.kind))
      result = try result.after(SplitNearestNeighbors(on: device.kind))
      result = try result.after(CanonicalizeChannelAffine(on: device.kind))
      result = try result.after(FoldPadding())
      result = try result.after(FoldChannelAffine())
      result = try result.after(RecogniseAttention(for: device))
      // After attention fusion, some projections have no reader.
      result = try result.after(RemoveDeadCode())
      result = try result.after(FuseProjections(f16: function.f16Names))
      result = try result.after(SplitProduct(on: device.kind))
      result = try result.after(FuseNormalizations(on: device.kind, threads: pool.threads))
      result = try result.after(FuseActivations(on: device.kind))
      result = try result.after(FuseBounds())
      result = try result.after(KeepInt8(on: device.kind))
      result = try result.after(FuseQuantization(on: device.kind))
      result = try result.after(TransposeToReshape())
      result = try result.after(FuseEpilogue(on: device.kind))
      result = try result.after(FuseAffine(on: device.kind))
      result = try result.after(PropagateQuantization(on: device.kind))
      result = try result.after(FusePointwise(on: device.kind))
    }
    if device.storesF16, !device.keepsF16, function.hasF16 {
      result = try result.after(StoreAsF16(function.f16Names, on: device, threads: pool.threads))
    }
    return try result.after(RemoveDeadCode())
  }
}

extension Function {
  /// Whether any value is fp16.
  var hasF16: Bool { inputs.contains { $0.type.hasF16 } || body.hasF16 }
}

extension Block {
  fileprivate var hasF16: Bool {
    inputs.contains { $0.type.hasF16 }
      || operations.contains { operation in
        operation.outputs.contains { $0.type.hasF16 } || operation.blocks.contains { $0.hasF16 }
          || operation.inputs.values.contains { $0.contains { $0.hasF16 } }
      }
  }
}

extension Binding {
  fileprivate var hasF16: Bool {
    if case .literal(let value) = self { return value.type.hasF16 }
    return false
  }
}
