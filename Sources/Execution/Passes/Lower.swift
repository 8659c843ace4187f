import CoreMLKernels
import MIL

/// What a device makes of the operations that were placed on it, before its rows are asked: the precision that it calculates in, then
/// fewer and larger operations, then the precision that it stores values in.
struct Lower {
  let pool: ThreadPool
  let allowsFusion: Bool

  func callAsFunction(_ function: Function, for device: PlanDevice) throws -> Function {
    var result = function
    if !device.keepsHalf, function.hasHalf {
      result = try result.after(WidenHalf())
      result = try result.after(Specialize(pool: pool, foldsHalf: true))
    }
    if device.kind == .cpu { result = try result.after(UpdateStatesAsStored(halves: function.halfNames)) }
    result = try result.after(CastStates())
    if allowsFusion {
      result = try result.after(SpellQuantizedConvolution(on: device.kind))
      result = try result.after(SplitNearestNeighbors(on: device.kind))
      result = try result.after(SpellChannelAffine(on: device.kind))
      result = try result.after(FoldPadding())
      result = try result.after(FoldChannelAffine())
      result = try result.after(RecogniseAttention(for: device))
      // Of what attention has passed over, nothing reads a projection any more.
      result = try result.after(RemoveDeadCode())
      result = try result.after(JoinProjections(halves: function.halfNames))
      result = try result.after(SplitProduct(on: device.kind))
      result = try result.after(JoinNormalizations(on: device.kind, threads: pool.threads))
      result = try result.after(JoinActivations(on: device.kind))
      result = try result.after(JoinBounds())
      result = try result.after(KeepBytes(on: device.kind))
      result = try result.after(JoinQuantization(on: device.kind))
      result = try result.after(ReshapeInstead())
      result = try result.after(FuseEpilogue(on: device.kind))
      result = try result.after(FuseAffine(on: device.kind))
      result = try result.after(NameSteps(on: device.kind))
      result = try result.after(JoinPointwise(on: device.kind))
    }
    if device.storesHalf, !device.keepsHalf, function.hasHalf {
      result = try result.after(StoreHalves(function.halfNames, on: device, threads: pool.threads))
    }
    return try result.after(RemoveDeadCode())
  }
}

extension Function {
  /// Whether anything in it is half precision.
  var hasHalf: Bool { inputs.contains { $0.type.hasHalf } || body.hasHalf }
}

extension Block {
  fileprivate var hasHalf: Bool {
    inputs.contains { $0.type.hasHalf }
      || operations.contains { operation in
        operation.outputs.contains { $0.type.hasHalf } || operation.blocks.contains { $0.hasHalf }
          || operation.inputs.values.contains { $0.contains { $0.hasHalf } }
      }
  }
}

extension Binding {
  fileprivate var hasHalf: Bool {
    if case .literal(let value) = self { return value.type.hasHalf }
    return false
  }
}
