import Foundation

/// A sequence of strings or of integers.
// Sendable: immutable
public class MLSequence: NSObject, @unchecked Sendable {
  public let type: MLFeatureType
  public let stringValues: [String]
  public let int64Values: [NSNumber]

  public init(empty type: MLFeatureType) {
    self.type = type
    (stringValues, int64Values) = ([], [])
  }

  public init(strings values: [String]) {
    type = .string
    (stringValues, int64Values) = (values, [])
  }

  public init(int64s values: [NSNumber]) {
    type = .int64
    (stringValues, int64Values) = ([], values)
  }
}
