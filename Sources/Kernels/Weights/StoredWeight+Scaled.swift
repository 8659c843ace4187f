import MIL

extension StoredWeight {
  /// The weight with every entry of an axis multiplied by a factor of its own, rounded once; nil when they do not match.
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
