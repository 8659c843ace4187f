import CoreMLImages
import Foundation

/// A feature provider that is backed by a dictionary.
// Sendable: immutable
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider, @unchecked Sendable {
  /// The values by feature name.
  open var dictionary: [String: MLFeatureValue] { values }
  private let values: [String: MLFeatureValue]

  /// Creates a provider. Values may be `MLFeatureValue`s or anything that one can be made from: numbers, strings,
  /// multi-arrays and shaped arrays, images, dictionaries of numbers, sequences.
  ///
  /// - Throws: `MLModelError` (`featureType`) for anything else.
  public init(dictionary: [String: Any]) throws {
    values = try Dictionary(uniqueKeysWithValues: dictionary.map { ($0, try Self.boxed($1, $0)) })
    super.init()
  }

  init(values: [String: MLFeatureValue]) {
    self.values = values
    super.init()
  }

  private static func boxed(_ value: Any, _ name: String) throws -> MLFeatureValue {
    switch value {
    case let value as MLFeatureValue: return value
    case let value as MLMultiArray: return MLFeatureValue(multiArray: value)
    case let value as PixelBuffer: return MLFeatureValue(pixelBuffer: value)
    case let value as MLSequence: return MLFeatureValue(sequence: value)
    case let value as String: return MLFeatureValue(string: value)
    case let value as Float16: return MLFeatureValue(double: Double(value))
    case let value as MLSendableFeatureValue: return MLFeatureValue(value)
    case let value as any MLShapedArrayProtocol: return MLFeatureValue(multiArray: MLMultiArray(value))
    // Every other Swift number type is bridged to `NSNumber` too.
    case let value as NSNumber:
      guard !value.isFloat else { return MLFeatureValue(double: value.doubleValue) }
      guard let integer = Int64(exactly: value) else {
        throw MLModelError(.featureType, "the feature '\(name)' is \(value), which 64 bits with a sign do not hold")
      }
      return MLFeatureValue(int64: integer)
    case let value as [AnyHashable: NSNumber]: return try MLFeatureValue(dictionary: value)
    default:
      throw MLModelError(.featureType, "the feature '\(name)' is a \(Swift.type(of: value)), which no feature can be")
    }
  }

  /// The keys of the dictionary.
  open var featureNames: Set<String> { Set(values.keys) }
  /// The value of a feature; nil if there is none.
  open func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }
  /// The value of a feature; nil if there is none.
  open subscript(featureName: String) -> MLFeatureValue? { values[featureName] }
}

extension NSNumber {
  /// Whether the number was created from a floating-point value.
  var isFloat: Bool { ["f", "d"].contains(String(cString: objCType)) }
}
