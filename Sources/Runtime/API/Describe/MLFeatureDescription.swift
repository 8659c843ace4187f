import Foundation

/// A feature of a model: its name, its type, and what its values must be.
public final class MLFeatureDescription: Sendable {
  /// What values are given and read by.
  public let name: String
  /// What kind of value it is.
  public let type: MLFeatureType
  /// Whether an input may be left out.
  public let isOptional: Bool
  /// For a multi-array.
  public let multiArrayConstraint: MLMultiArrayConstraint?
  /// For an image.
  public let imageConstraint: MLImageConstraint?
  /// For a dictionary.
  public let dictionaryConstraint: MLDictionaryConstraint?
  /// For a sequence.
  public let sequenceConstraint: MLSequenceConstraint?
  /// For a state.
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
