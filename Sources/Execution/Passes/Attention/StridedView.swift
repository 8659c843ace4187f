import MIL

/// A value whose elements are elements of another one: what transposes, reshapes, slices and repetitions do to where things lie.
struct StridedView: Hashable {
  typealias Axis = StridedMatrices.Axis

  var source: String
  var offset = 0
  /// For each axis of the value the axes that it is made of, the outermost first; those of one place are left out.
  private(set) var axes: [[Axis]]

  /// A value as it lies.
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

  /// The same elements in the same order under another shape; nil where an axis would be cut within one of memory's.
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

  /// Repeated along each axis.
  func tiled(_ reps: [Int]) -> StridedView? {
    guard reps.count == axes.count, reps.allSatisfy({ $0 > 0 }) else { return nil }
    var result = self
    for (index, count) in reps.enumerated() where count > 1 { result.axes[index].insert(Axis(count, 0), at: 0) }
    return result
  }

  /// Repeated to a shape, axes aligned at the last.
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

  /// As matrices of the last two axes, if each of them is one in memory as well.
  var matrices: StridedMatrices? {
    guard axes.count >= 2 else { return nil }
    let (rows, columns) = (Self.joined(axes[axes.count - 2]), Self.joined(axes[axes.count - 1]))
    guard rows.count <= 1, columns.count <= 1 else { return nil }
    return StridedMatrices(
      offset: offset, rowStep: rows.first?.step ?? 0, columnStep: columns.first?.step ?? 1,
      batch: Self.joined(axes.dropLast(2).flatMap(\.self)))
  }

  /// Where the same elements lie once memory is laid out as a transpose of `shape` lays it out; the view is one of all that memory.
  func moved(_ shape: [Int], _ perm: [Int]) -> StridedView? {
    let dense = StridedView("", dense: shape)
    guard let turned = dense.transposed(perm) else { return nil }
    let order = perm.map { $0 < 0 ? $0 + shape.count : $0 }
    let steps = StridedView("", dense: turned.shape).axes
    var (result, isWhole) = (self, true)
    result.axes = axes.map { parts in
      parts.flatMap { part -> [Axis] in
        var (pieces, step, size): ([Axis], Int, Int) = ([], part.step, part.size)
        // From the innermost axis of `shape` that it steps along outwards.
        for axis in shape.indices.reversed() where size > 1 {
          guard let own = dense.axes[axis].first, step < own.step * own.size, let place = order.firstIndex(of: axis),
            let target = steps[place].first
          else { continue }
          let here = min(size, own.step * own.size / step)
          // One that begins or ends within an axis of `shape` is no axis afterwards.
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

  /// Neighbours that step on where the inner one ends, as one.
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
