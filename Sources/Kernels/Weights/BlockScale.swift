import CKernels
import MIL

/// scale * (data - offset), where blocks of the data share a scale and an offset.
///
/// The result is computed as in fp64 and rounded once to fp32. fp32 arithmetic gives the same result unless a
/// difference needs more bits than fp32 has.
struct BlockScale: Sendable {
  let data: WeightEncoding
  /// fp32, one element for each block.
  let scale: Tensor
  let offset: Tensor?
  let walk: BlockWalk
  private let needsDouble: Bool
  /// Whether kernels may round every product to fp16 in fewer instructions (`ck_rounds_normally`).
  let roundsNormally: Bool

  /// - Parameter hasShortOffset: whether the offsets are integers of few bits.
  init(_ data: WeightEncoding, scale: Tensor, offset: Tensor?, hasShortOffset: Bool, walk: BlockWalk) {
    (self.data, self.scale, self.offset, self.walk) = (data, scale, offset, walk)
    needsDouble = offset != nil && !(hasShortOffset && data.isShort)
    roundsNormally = withExtendedLifetime((scale.storage, offset?.storage)) {
      ck_rounds_normally(
        scale.storage.pointer.assumingMemoryBound(to: Float.self),
        offset?.storage.pointer.assumingMemoryBound(to: Float.self), scale.count)
    }
  }

  /// Whether fp32 arithmetic gives the exact result: the difference is an fp32 value without rounding.
  var isSingle: Bool { !needsDouble }

  var byteCount: Int { data.byteCount + scale.byteCount + (offset?.byteCount ?? 0) }

  func decode(_ range: Range<Int>, into target: UnsafeMutablePointer<Float>) {
    data.decode(range, into: target)
    withExtendedLifetime((scale.storage, offset?.storage)) {
      let scales = scale.storage.pointer.assumingMemoryBound(to: Float.self)
      let offsets = offset?.storage.pointer.assumingMemoryBound(to: Float.self)
      walk.each(range) { piece, entry, first in
        let memory = target + (piece.lowerBound - range.lowerBound)
        let offsets = offsets.map { $0 + entry }
        if needsDouble {
          ck_shift_scale_exact_f32(memory, scales + entry, offsets, walk.run, first, piece.count)
        } else {
          ck_shift_scale_f32(memory, scales + entry, offsets, walk.run, first, piece.count)
        }
      }
    }
  }
}
