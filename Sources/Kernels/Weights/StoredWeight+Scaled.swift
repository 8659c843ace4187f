import MIL

extension StoredWeight {
  /// The weight with each entry of an axis multiplied by its own factor, rounded once. Nil if the factors do not match
  /// the axis.
  package func scaled(by factors: [Float], along axis: Int) -> StoredWeight? {
    guard type.scalar == .float32, form.isExact, shape.indices.contains(axis), shape[axis] == factors.count else {
      return nil
    }
    var blocks = shape
    blocks[axis] = 1
    let scale = BlockScale(
      form, scale: Tensor(float32: factors, shape: [factors.count]), offset: nil, hasShortOffset: true,
      walk: BlockWalk(shape: shape, blocks: blocks))
    return StoredWeight(.float32, shape: shape, .scaled(scale))
  }
}
