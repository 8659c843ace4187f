import CoreMLRuntime
import Foundation

/// The sizes that an axis of an input may have.
enum AxisSizes: Sendable, Equatable {
  case range(ClosedRange<Int>)
  case list([Int])

  /// The sizes of an axis, counted from the end; nil if the array has too few axes.
  init?(_ constraint: MLMultiArrayConstraint, fromEnd place: Int) {
    let rank = constraint.shape.count
    let axis = rank - 1 - place
    guard axis >= 0 else { return nil }
    let shapes = constraint.shapeConstraint
    switch shapes.type {
    case .range where shapes.sizeRangeForDimension.count == rank:
      let range = shapes.sizeRangeForDimension[axis].rangeValue
      let low = max(range.location, 1)
      // An upper bound that is not given is Int.max.
      let high = range.length > .max - range.location ? Int.max : range.location + range.length - 1
      guard low <= high else { return nil }
      self = .range(low...high)
    case .enumerated:
      let sizes = Set(shapes.enumeratedShapes.filter { $0.count == rank }.map { $0[axis].intValue }).filter { $0 > 0 }
      guard !sizes.isEmpty else { return nil }
      self = .list(sizes.sorted())
    default:
      let size = constraint.shape[axis].intValue
      guard size > 0 else { return nil }
      self = .list([size])
    }
  }

  var most: Int {
    switch self {
    case .range(let range): range.upperBound
    case .list(let sizes): sizes.last ?? 0
    }
  }

  /// The smallest size that is at least `count`.
  func smallest(atLeast count: Int) -> Int? {
    switch self {
    case .range(let range): count <= range.upperBound ? max(count, range.lowerBound) : nil
    case .list(let sizes): sizes.first { $0 >= count }
    }
  }

  /// The greatest size that is at most `count`.
  func greatest(atMost count: Int) -> Int? {
    switch self {
    case .range(let range): count >= range.lowerBound ? min(count, range.upperBound) : nil
    case .list(let sizes): sizes.last { $0 <= count }
    }
  }
}
