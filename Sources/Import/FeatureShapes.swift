import CoreMLBase
import CoreMLSpec
import MIL

/// The declared shapes of multi-array features.
package enum FeatureShapes {
  /// The axes of an array feature; flexible axes are unknown.
  static func dimensions(of array: Specification.ArrayFeatureType) throws -> [Dimension] {
    let shape = try array.shape.map { Dimension(Int(clamping: $0)) }
    switch try array.shapeFlexibility {
    case .enumeratedShapes(let enumerated):
      let shapes = try enumerated.shapes.map { try $0.shape }
      guard let first = shapes.first else { return shape }
      let rank = first.count
      guard shapes.allSatisfy({ $0.count == rank }) else {
        throw RuntimeError(.unsupported, "an array feature enumerates shapes of different ranks")
      }
      return (0..<rank).map { axis in
        let sizes = Set(shapes.map { $0[axis] })
        return sizes.count == 1 ? Dimension(Int(clamping: first[axis])) : .unknown
      }
    case .shapeRange(let range):
      let ranges = try range.sizeRanges.map { (try $0.lowerBound, try $0.upperBound) }
      guard !ranges.isEmpty else { return shape }
      return ranges.map { lower, upper in
        upper >= 0 && UInt64(upper) == lower ? Dimension(Int(clamping: upper)) : .unknown
      }
    case nil: return shape
    }
  }

  /// The maximum number of elements in the default value of an optional feature. Files may declare any size, and the
  /// value is created before anything runs.
  package static let maximumDefaultCount = 1 << 26

  /// The value of every element if an optional array is omitted.
  package static func defaultValue(of array: Specification.ArrayFeatureType) throws -> Double? {
    switch try array.defaultOptionalValue {
    case .intDefaultValue(let value): Double(value)
    case .floatDefaultValue(let value): Double(value)
    case .doubleDefaultValue(let value): value
    case nil: nil
    }
  }
}
