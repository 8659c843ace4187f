import Foundation

/// A part of a storage with a layout: the representation of a shaped array and its slices. Copies share the storage.
/// The first write to a view that is not the only owner copies the scalars.
struct ShapedView<Scalar: MLShapedArrayScalar> {
  private(set) var storage: ShapedStorage<Scalar>
  /// The offset of the first scalar in the storage.
  private var start = 0
  private(set) var layout: ShapedLayout

  init(_ storage: ShapedStorage<Scalar>, _ layout: ShapedLayout) {
    self.storage = storage
    self.layout = layout
  }

  private var base: UnsafeMutablePointer<Scalar> { storage.pointer + start }

  // MARK: reading

  func read<Result>(_ body: (UnsafeBufferPointer<Scalar>, [Int], [Int]) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) {
      try body(UnsafeBufferPointer(start: base, count: layout.extent), layout.shape, layout.strides)
    }
  }

  /// Writes the scalars to `target` in first-major order.
  func gather(to target: UnsafeMutableRawPointer) {
    read { source, shape, strides in
      guard let source = source.baseAddress, !shape.contains(0) else { return }
      StridedCopy(shape: shape, strides: strides, size: MemoryLayout<Scalar>.stride).gather(from: source, to: target)
    }
  }

  func scalar<Indices: Collection>(at indices: Indices) -> Scalar where Indices.Element == Int {
    precondition(
      indices.count == layout.shape.count, "\(indices.count) indices do not name a scalar of \(layout.shape)")
    return withExtendedLifetime(storage) { base[layout.offset(indices)] }
  }

  // MARK: writing

  /// Calls `body` with the memory for writing. Copies the scalars first if the storage is shared or read-only, or if
  /// `wanted` is another layout.
  mutating func write<Result>(
    using wanted: MLShapedArrayBufferLayout? = nil,
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, [Int], [Int]) throws -> Result
  ) rethrows -> Result {
    let target = wanted.map { ShapedLayout(shape: layout.shape, $0) }
    if !isKnownUniquelyReferenced(&storage) || !storage.isMutable || target.map({ $0 != layout }) ?? false {
      self = copied(target ?? ShapedLayout(firstMajor: layout.shape))
    }
    return try withExtendedLifetime(storage) {
      var buffer = UnsafeMutableBufferPointer(start: base, count: layout.extent)
      return try body(&buffer, layout.shape, layout.strides)
    }
  }

  /// Returns a copy of the scalars in new memory, in the layout `target`.
  func copied(_ target: ShapedLayout) -> ShapedView {
    let result = ShapedView(ShapedStorage(count: target.extent), target)
    result.fill(self)
    return result
  }

  /// Overwrites the scalars, in first-major order, with those of a view of the same count. Does not check whether the
  /// storage is shared.
  private func fill(_ source: ShapedView) {
    guard layout.count > 0 else { return }
    let dense = source.dense()
    dense.read { scalars, _, _ in
      guard let scalars = scalars.baseAddress else { return }
      StridedCopy(shape: layout.shape, strides: layout.strides, size: MemoryLayout<Scalar>.stride)
        .scatter(from: scalars, to: base)
    }
  }

  private func dense() -> ShapedView {
    guard !layout.isContiguous else { return self }
    let result = ShapedView(ShapedStorage(count: layout.count), ShapedLayout(firstMajor: layout.shape))
    gather(to: result.base)
    return result
  }

  mutating func setScalar<Indices: Collection>(_ value: Scalar, at indices: Indices) where Indices.Element == Int {
    precondition(
      indices.count == layout.shape.count, "\(indices.count) indices do not name a scalar of \(layout.shape)")
    write { _, _, _ in }
    withExtendedLifetime(storage) { base[layout.offset(indices)] = value }
  }

  // MARK: slices

  subscript<Indices: Collection>(indices indices: Indices) -> ShapedView where Indices.Element == Int {
    get {
      var part = self
      part.start += layout.offset(indices)
      part.layout.shape.removeFirst(indices.count)
      part.layout.strides.removeFirst(indices.count)
      return part
    }
    set { replace(newValue) { $0[indices: indices] } }
  }

  subscript<Ranges: Collection>(ranges ranges: Ranges) -> ShapedView where Ranges.Element == Range<Int> {
    get {
      let shape = layout.shape
      precondition(ranges.count == shape.count, "\(ranges.count) ranges are given, the shape is \(shape)")
      var part = self
      for (axis, range) in ranges.enumerated() {
        precondition(
          range.lowerBound >= 0 && range.upperBound <= shape[axis],
          "the range \(range) of axis \(axis) is not within the shape \(shape)")
        part.layout.shape[axis] = range.count
        if !range.isEmpty { part.start += range.lowerBound * layout.strides[axis] }
      }
      return part
    }
    set { replace(newValue) { $0[ranges: ranges] } }
  }

  private mutating func replace(_ value: ShapedView, _ part: (ShapedView) -> ShapedView) {
    // `value` may share this storage. It retains the storage during the write, so the write copies.
    write { _, _, _ in }
    let target = part(self)
    precondition(
      target.layout.shape == value.layout.shape,
      "a slice of shape \(target.layout.shape) cannot be set to one of shape \(value.layout.shape)")
    target.fill(value)
  }

  // MARK: shapes

  /// Returns the scalars in first-major order with another shape of the same count.
  func reshaped(_ shape: [Int]) -> ShapedView {
    let target = ShapedLayout(firstMajor: shape)
    precondition(target.count == layout.count, "an array of shape \(layout.shape) cannot be reshaped to \(shape)")
    var result = dense()
    result.layout = target
    return result
  }

  /// Rearranges the axes without a copy. `axes` maps each new axis to an old one; nil inserts an axis of size 1.
  func rearranged(_ axes: [Int?]) -> ShapedView {
    var result = self
    result.layout.shape = axes.map { $0.map { layout.shape[$0] } ?? 1 }
    result.layout.strides = axes.map { $0.map { layout.strides[$0] } ?? 1 }
    return result
  }
}
