/// A batch of matrices inside one tensor: the offset of the first one, and the strides in elements.
package struct StridedMatrices: Sendable, Hashable {
  /// An axis or a part of one: `size` positions, `step` elements apart.
  package struct Axis: Sendable, Hashable {
    package var size: Int
    package var step: Int

    package init(_ size: Int, _ step: Int) { (self.size, self.step) = (size, step) }
  }

  package var offset: Int
  package var rowStep: Int
  package var columnStep: Int
  /// The batch axes, outermost first.
  package var batch: [Axis]

  package init(offset: Int = 0, rowStep: Int, columnStep: Int, batch: [Axis] = []) {
    (self.offset, self.rowStep, self.columnStep, self.batch) = (offset, rowStep, columnStep, batch)
  }

  /// The form as an operation's argument: offset, row stride, column stride, then size and stride of each batch axis.
  package init?(_ numbers: [Int]) {
    guard numbers.count >= 3, numbers.count % 2 == 1, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    let batch = stride(from: 3, to: numbers.count, by: 2).map { Axis(numbers[$0], numbers[$0 + 1]) }
    self.init(offset: numbers[0], rowStep: numbers[1], columnStep: numbers[2], batch: batch)
  }

  package var numbers: [Int] { [offset, rowStep, columnStep] + batch.flatMap { [$0.size, $0.step] } }

  /// The number of items; nil on overflow.
  package var items: Int? { TensorType.elementCount(batch.map(\.size)) }

  /// The position after the last element of matrices of these sizes. Nil if there are no elements, or on overflow.
  package func end(rows: Int, columns: Int) -> Int? {
    let axes = batch + [Axis(rows, rowStep), Axis(columns, columnStep)]
    guard axes.allSatisfy({ $0.size > 0 }) else { return nil }
    return axes.reduce(offset.addingReportingOverflow(1).partialValue) { (end: Int?, axis) in
      let (reach, isTooFar) = (axis.size - 1).multipliedReportingOverflow(by: axis.step)
      guard let end, !isTooFar else { return nil }
      let (sum, overflow) = end.addingReportingOverflow(reach)
      return overflow ? nil : sum
    }
  }

  /// Whether matrices of these sizes cover `count` elements from the first on, each exactly once.
  package func fills(_ count: Int, rows: Int, columns: Int) -> Bool {
    var reached = 1
    for axis in (batch + [Axis(rows, rowStep), Axis(columns, columnStep)]).sorted(by: { $0.step < $1.step })
    where axis.size != 1 {
      let (next, overflow) = reached.multipliedReportingOverflow(by: axis.size)
      guard axis.step == reached, !overflow else { return false }
      reached = next
    }
    return offset == 0 && reached == count
  }

  /// The offset of each item.
  package func places() -> [Int] {
    batch.reduce([offset]) { places, axis in
      places.flatMap { place in (0..<axis.size).map { place + $0 * axis.step } }
    }
  }
}
