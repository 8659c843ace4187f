import CoreMLImport
import Foundation

extension MLMultiArrayShapeConstraint {
  /// Returns the allowed shape that differs from `shape` only by axes of size 1. Returns `shape` if no such shape is
  /// allowed.
  func arranged(_ shape: [Int], declared: [Int]) -> [Int] {
    let sameRank = declared.isEmpty ? nil : UnitAxes.withRank(of: declared, shape)
    switch type {
    case .unspecified:
      let exact = declared.isEmpty ? nil : UnitAxes.arranged(shape, in: declared.map { $0...$0 })
      return exact ?? sameRank ?? shape
    case .enumerated:
      let shapes = enumeratedShapes.map { $0.map(\.intValue) }
      if shapes.contains(shape) { return shape }
      return shapes.first { UnitAxes.arranged(shape, in: $0.map { $0...$0 }) != nil } ?? sameRank ?? shape
    case .range:
      // A range of length 0 allows no size, so no shape can match.
      guard !ranges.isEmpty, ranges.allSatisfy({ $0.length > 0 }) else { return sameRank ?? shape }
      let bounds = ranges.map { $0.location...($0.location + $0.length - 1) }
      if let sameRank, UnitAxes.arranged(sameRank, in: bounds) == sameRank { return sameRank }
      return UnitAxes.arranged(shape, in: bounds) ?? sameRank ?? shape
    }
  }
}
