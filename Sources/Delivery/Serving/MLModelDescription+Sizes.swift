import CoreMLRuntime
import Foundation

extension MLModelDescription {
  /// Whether each input has a fixed size. The cost of a prediction then does not depend on the caller.
  var inputsHaveOneSize: Bool { inputDescriptionsByName.values.allSatisfy(\.hasOneSize) }
}

extension MLFeatureDescription {
  fileprivate var hasOneSize: Bool {
    switch type {
    case .int64, .double: return true
    case .multiArray:
      guard let constraint = multiArrayConstraint else { return false }
      let shape = constraint.shapeConstraint
      switch shape.type {
      case .unspecified: return !constraint.shape.isEmpty
      case .enumerated: return shape.enumeratedShapes.count == 1
      case .range: return shape.sizeRangeForDimension.allSatisfy { $0.rangeValue.length == 1 }
      }
    case .image:
      guard let size = imageConstraint?.sizeConstraint else { return false }
      switch size.type {
      case .unspecified: return true
      case .enumerated: return size.enumeratedImageSizes.count <= 1
      case .range: return size.pixelsWideRange.length == 1 && size.pixelsHighRange.length == 1
      }
    // The sizes of strings, dictionaries, sequences and states depend on the caller.
    default: return false
    }
  }
}
