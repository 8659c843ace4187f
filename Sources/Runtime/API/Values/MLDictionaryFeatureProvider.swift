import CoreMLImages
import Foundation

/// Features in a dictionary.
// Sendable: immutable
public class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider, @unchecked Sendable {
  public let dictionary: [String: MLFeatureValue]

  /// Values may be `MLFeatureValue`s, or what one is made of: numbers, strings, arrays, images, dictionaries, sequences.
  public init(dictionary: [String: Any]) throws {
    self.dictionary = try Dictionary(uniqueKeysWithValues: dictionary.map { ($0, try Self.boxed($1, $0)) })
    super.init()
  }

  private static func boxed(_ value: Any, _ name: String) throws -> MLFeatureValue {
    switch value {
    case let value as MLFeatureValue: return value
    case let value as MLMultiArray: return MLFeatureValue(multiArray: value)
    case let value as PixelBuffer: return MLFeatureValue(pixelBuffer: value)
    case let value as MLSequence: return MLFeatureValue(sequence: value)
    case let value as String: return MLFeatureValue(string: value)
    case let value as Int: return MLFeatureValue(int64: Int64(value))
    case let value as Int64: return MLFeatureValue(int64: value)
    case let value as Int32: return MLFeatureValue(int64: Int64(value))
    case let value as Double: return MLFeatureValue(double: value)
    case let value as Float: return MLFeatureValue(double: Double(value))
    case let value as NSNumber:
      return isFloat(value)
        ? MLFeatureValue(double: value.doubleValue) : MLFeatureValue(int64: value.int64Value)
    case let value as [AnyHashable: NSNumber]: return try MLFeatureValue(dictionary: value)
    default:
      throw MLModelError(.featureType, "the feature '\(name)' is a \(Swift.type(of: value)), which no feature can be")
    }
  }

  private static func isFloat(_ number: NSNumber) -> Bool {
    ["f", "d"].contains(String(cString: number.objCType))
  }

  public var featureNames: Set<String> { Set(dictionary.keys) }
  public func featureValue(for featureName: String) -> MLFeatureValue? { dictionary[featureName] }
  public subscript(featureName: String) -> MLFeatureValue? { dictionary[featureName] }
}
