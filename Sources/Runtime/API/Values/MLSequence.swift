import Foundation

/// A sequence of strings or of integers.
// Sendable: immutable
public class MLSequence: NSObject, @unchecked Sendable {
  /// `.string` or `.int64`.
  public let type: MLFeatureType
  /// The strings; empty for integers.
  public let stringValues: [String]
  /// The integers; empty for strings.
  public let int64Values: [NSNumber]

  /// How many values there are.
  var count: Int { type == .string ? stringValues.count : int64Values.count }

  /// A sequence of a type without values.
  public init(empty type: MLFeatureType) {
    self.type = type
    (stringValues, int64Values) = ([], [])
  }

  /// A sequence of strings.
  public init(strings values: [String]) {
    type = .string
    (stringValues, int64Values) = (values, [])
  }

  /// A sequence of integers.
  public init(int64s values: [NSNumber]) {
    type = .int64
    (stringValues, int64Values) = ([], values)
  }
}
