import MIL

/// A view of another value's elements: the combined effect of transposes, reshapes, slices and repetitions on element
/// positions.
struct StridedView: Hashable {
  typealias Axis = StridedMatrices.Axis

  var source: String
  var offset = 0
  /// For each axis of the value, the strided axes that compose it, outermost first. Axes of size 1 are omitted.
  private(set) var axes: [[Axis]]

  /// The view of a whole row-major value.
  init(_ source: String, dense shape: [Int]) {
    self.source = source
    axes = shape.map { _ in [] }
    var step = 1
    for index in shape.indices.reversed() {
      if shape[index] != 1 { axes[index] = [Axis(shape[index], step)] }
      step *= shape[index]
    }
  }

  var shape: [Int] { axes.map { $0.reduce(1) { $0 * $1.size } } }

  func transposed(_ perm: [Int]) -> StridedView? {
    let order = perm.map { $0 < 0 ? $0 + axes.count : $0 }
    guard order.sorted() == Array(axes.indices) else { return nil }
    var result = self
    result.axes = order.map { axes[$0] }
    return result
  }

  /// The same elements in the same order with another shape. Nil if the new shape splits a strided axis unevenly.
  func reshaped(_ shape: [Int]) -> StridedView? {
    var left = Self.joined(axes.flatMap(\.self))
    var result = self
    result.axes = shape.map { _ in [] }
    for index in shape.indices.reversed() {
      var wanted = shape[index]
      while wanted > 1 {
        guard let inner = left.popLast() else { return nil }
        let size = min(inner.size, wanted)
        guard inner.size % size == 0, wanted % size == 0 else { return nil }
        result.axes[index].insert(Axis(size, inner.step), at: 0)
        if inner.size > size { left.append(Axis(inner.size / size, inner.step * size)) }
        wanted /= size
      }
    }
    return left.isEmpty ? result : nil
  }

  func sliced(_ slices: [SliceAxis]) -> StridedView? {
    guard slices.count == axes.count else { return nil }
    var result = self
    for (index, slice) in slices.enumerated() {
      guard let part = result.sliced(index, slice) else { return nil }
      result = part
    }
    result.axes = zip(result.axes, slices).filter { !$0.1.isSqueezed }.map(\.0)
    return result
  }

  private func sliced(_ index: Int, _ slice: SliceAxis) -> StridedView? {
    let axis = Self.joined(axes[index])
    let size = axis.reduce(1) { $0 * $1.size }
    if slice.begin == 0, slice.stride == 1, slice.count == size { return self }
    guard slice.count > 0, slice.stride > 0 else { return nil }
    var result = self
    guard let outer = axis.first else { return slice.begin == 0 && slice.count == 1 ? self : nil }
    let inner = size / outer.size
    guard inner == 1 || (slice.stride == 1 && slice.begin % inner == 0 && slice.count % inner == 0) else { return nil }
    result.offset += slice.begin / inner * outer.step
    let count = slice.count / inner
    result.axes[index] = (count == 1 ? [] : [Axis(count, outer.step * slice.stride)]) + axis.dropFirst()
    return result
  }

  /// The view repeated along each axis.
  func tiled(_ reps: [Int]) -> StridedView? {
    guard reps.count == axes.count, reps.allSatisfy({ $0 > 0 }) else { return nil }
    var result = self
    for (index, count) in reps.enumerated() where count > 1 { result.axes[index].insert(Axis(count, 0), at: 0) }
    return result
  }

  /// The view broadcast to a shape, with axes aligned at the last one.
  func broadcast(to shape: [Int]) -> StridedView? {
    let own = self.shape
    guard own.count <= shape.count else { return nil }
    var result = self
    result.axes = Array(repeating: [], count: shape.count - own.count) + axes
    for (index, size) in shape.enumerated() where result.axes[index].isEmpty && size != 1 {
      result.axes[index] = [Axis(size, 0)]
    }
    return result.shape == shape ? result : nil
  }

  /// The view as matrices of its last two axes; nil unless each of these is one strided axis.
  var matrices: StridedMatrices? {
    guard axes.count >= 2 else { return nil }
    let (rows, columns) = (Self.joined(axes[axes.count - 2]), Self.joined(axes[axes.count - 1]))
    guard rows.count <= 1, columns.count <= 1 else { return nil }
    return StridedMatrices(
      offset: offset, rowStep: rows.first?.step ?? 0, columnStep: columns.first?.step ?? 1,
      batch: Self.joined(axes.dropLast(2).flatMap(\.self)))
  }

  /// The positions of the same elements after the memory has been transposed from `shape` by `perm`. The view must be
  /// one of the whole memory.
  func moved(_ shape: [Int], _ perm: [Int]) -> StridedView? {
    let dense = StridedView("", dense: shape)
    guard let turned = dense.transposed(perm) else { return nil }
    let order = perm.map { $0 < 0 ? $0 + shape.count : $0 }
    let steps = StridedView("", dense: turned.shape).axes
    var (result, isWhole) = (self, true)
    result.axes = axes.map { parts in
      parts.flatMap { part -> [Axis] in
        var (pieces, step, size): ([Axis], Int, Int) = ([], part.step, part.size)
        // From the innermost axis of `shape` that the part crosses, outwards.
        for axis in shape.indices.reversed() where size > 1 {
          guard let own = dense.axes[axis].first, step < own.step * own.size, let place = order.firstIndex(of: axis),
            let target = steps[place].first
          else { continue }
          let here = min(size, own.step * own.size / step)
          // A part that starts or ends within an axis of `shape` has no single stride after the transpose.
          guard step % own.step == 0, own.step * own.size % step == 0, size % here == 0 else { break }
          pieces.insert(Axis(here, step / own.step * target.step), at: 0)
          (step, size) = (own.step * own.size, size / here)
        }
        if size > 1 { isWhole = false }
        return pieces
      }
    }
    return isWhole && result.shape == self.shape ? result : nil
  }

  /// Merges adjacent axes that together form one strided axis.
  private static func joined(_ axes: some Collection<Axis>) -> [Axis] {
    axes.reduce(into: []) { result, axis in
      if let outer = result.last, outer.step == axis.step * axis.size {
        result[result.count - 1] = Axis(outer.size * axis.size, axis.step)
      } else {
        result.append(axis)
      }
    }
  }
}
