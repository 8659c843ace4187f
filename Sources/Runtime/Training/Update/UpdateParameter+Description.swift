import CoreMLImport
import Foundation

extension UpdateParameter {
  /// The parameter's description in the API.
  var description: MLParameterDescription? {
    let key = MLParameterKey(name, scope: scope)
    if let flag { return MLParameterDescription(key: key, defaultValue: NSNumber(value: flag), numericConstraint: nil) }
    if let real {
      return MLParameterDescription(
        key: key, defaultValue: NSNumber(value: real.value),
        numericConstraint: Self.constraint(real.range?.map { NSNumber(value: $0) }, nil))
    }
    guard let integer else { return nil }
    return MLParameterDescription(
      key: key, defaultValue: NSNumber(value: integer.value),
      numericConstraint: Self.constraint(
        integer.range?.map { NSNumber(value: $0) }, integer.set?.sorted().map { NSNumber(value: $0) }))
  }

  private static func constraint(_ range: [NSNumber]?, _ set: [NSNumber]?) -> MLNumericConstraint? {
    guard let least = range?.first ?? set?.first, let most = range?.last ?? set?.last else { return nil }
    return MLNumericConstraint(minNumber: least, maxNumber: most, enumeratedNumbers: set.map(Set.init))
  }
}
