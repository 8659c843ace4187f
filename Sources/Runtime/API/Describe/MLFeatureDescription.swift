import Foundation

/// A feature of a model: its name, its type, and what its values must be.
public final class MLFeatureDescription: Sendable {
  public let name: String
  public let type: MLFeatureType
  public let isOptional: Bool
  public let multiArrayConstraint: MLMultiArrayConstraint?
  public let imageConstraint: MLImageConstraint?
  public let dictionaryConstraint: MLDictionaryConstraint?
  public let sequenceConstraint: MLSequenceConstraint?
  public let stateConstraint: MLStateConstraint?

  init(
    name: String, type: MLFeatureType, isOptional: Bool, multiArrayConstraint: MLMultiArrayConstraint? = nil,
    imageConstraint: MLImageConstraint? = nil, dictionaryConstraint: MLDictionaryConstraint? = nil,
    sequenceConstraint: MLSequenceConstraint? = nil, stateConstraint: MLStateConstraint? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.multiArrayConstraint = multiArrayConstraint
    self.imageConstraint = imageConstraint
    self.dictionaryConstraint = dictionaryConstraint
    self.sequenceConstraint = sequenceConstraint
    self.stateConstraint = stateConstraint
  }

  /// Whether a value is of the type and within the constraints.
  public func isAllowedValue(_ value: MLFeatureValue) -> Bool {
    if value.isUndefined { return isOptional }
    guard value.type == type else { return false }
    if let constraint = multiArrayConstraint, let array = value.multiArrayValue {
      return constraint.shapeConstraint.allows(array.shape.map(\.intValue), declared: constraint.shape.map(\.intValue))
    }
    if let constraint = imageConstraint, let image = value.imageBufferValue {
      return constraint.allows(image)
    }
    if let constraint = dictionaryConstraint {
      return value.dictionaryValue.keys.allSatisfy { ($0.base is String) == (constraint.keyType == .string) }
    }
    if let constraint = sequenceConstraint, let sequence = value.sequenceValue { return constraint.allows(sequence) }
    return true
  }
}
